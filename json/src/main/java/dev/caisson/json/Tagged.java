package dev.caisson.json;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks a sealed interface of records that are told apart by a field. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Tagged {
  /**
   * The field that holds the record's {@link Name}, or its simple name with a small first letter.
   */
  String value();
}
