# Read by the launchers when jdk/ does not point to a JDK (bin/caisson-train sets it): sets $java.
java=${JAVA_HOME:+$JAVA_HOME/bin/java}
[ -n "$java" ] || java=$(command -v java)
release=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "${java:+$(dirname "$(readlink -f "$java")")/../release}" 2>/dev/null)
if [ "${release:-0}" -lt 25 ]; then
  echo "caisson: needs Java 25 or later, found ${release:-none} at '${java:-JAVA_HOME and PATH}'." >&2
  echo "caisson: set JAVA_HOME to one (Temurin 25, or Debian's openjdk-25-jre-headless)." >&2
  exit 125
fi
