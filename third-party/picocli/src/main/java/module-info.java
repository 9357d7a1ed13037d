/** picocli, recompiled from its published sources. */
module info.picocli {
  requires static java.sql;

  exports picocli;
}
