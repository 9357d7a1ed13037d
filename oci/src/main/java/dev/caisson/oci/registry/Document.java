package dev.caisson.oci.registry;

/**
 * A small answer, whole.
 *
 * @param bytes as they came
 * @param type what the server calls it, without parameters; "" for nothing
 */
record Document(byte[] bytes, String type) {
  Document {
    int parameters = type.indexOf(';');
    type = (parameters < 0 ? type : type.substring(0, parameters)).strip();
  }
}
