package dev.caisson.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Why a file could not be used, in words. */
final class FileTrouble {
  private FileTrouble() {}

  static String words(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "it or its folder is not there";
    }
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    return String.valueOf(e.getMessage());
  }
}
