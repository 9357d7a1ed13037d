package dev.caisson.oci.registry;

import dev.caisson.oci.ImageException;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Which certificates are believed. */
final class Trust {
  private Trust() {}

  /** Everything: for hosts that the user called insecure. */
  static SSLContext ofAnything() {
    return context(new TrustManager[] {new Anything()});
  }

  /** The usual authorities and those in a host's directories; empty if there are none of these. */
  static Optional<SSLContext> of(List<Path> directories, String authority) {
    try {
      var extra = new ArrayList<X509Certificate>();
      for (Path directory : directories) {
        extra.addAll(certificates(directory.resolve(authority)));
      }
      return extra.isEmpty() ? Optional.empty() : Optional.of(context(together(extra)));
    } catch (IOException | GeneralSecurityException e) {
      throw new ImageException(
          ImageException.Kind.INVALID,
          "read the certificates for '" + authority + "'",
          String.valueOf(e.getMessage()),
          "look at the *.crt files in " + directories,
          e);
    }
  }

  private static List<X509Certificate> certificates(Path directory)
      throws IOException, GeneralSecurityException {
    var found = new ArrayList<X509Certificate>();
    if (!Files.isDirectory(directory)) {
      return found;
    }
    try (var files = Files.newDirectoryStream(directory, "*.crt")) {
      for (Path file : files) {
        try (var in = Files.newInputStream(file)) {
          for (var each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
            found.add((X509Certificate) each);
          }
        }
      }
    }
    return found;
  }

  private static TrustManager[] together(List<X509Certificate> extra)
      throws IOException, GeneralSecurityException {
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    var all = new ArrayList<>(extra);
    for (var manager : managers(null)) {
      if (manager instanceof X509TrustManager usual) {
        all.addAll(List.of(usual.getAcceptedIssuers()));
      }
    }
    for (int i = 0; i < all.size(); i++) {
      store.setCertificateEntry("certificate-" + i, all.get(i));
    }
    return managers(store);
  }

  private static TrustManager[] managers(@Nullable KeyStore store) throws GeneralSecurityException {
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  private static SSLContext context(TrustManager[] managers) {
    try {
      var context = SSLContext.getInstance("TLS");
      context.init(null, managers, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has TLS", e);
    }
  }

  /** The extended form, since with the plain one host names are still compared. */
  private static final class Anything extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
