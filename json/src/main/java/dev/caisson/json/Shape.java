package dev.caisson.json;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** What is known of a type, found once by reflection: how its JSON looks. */
sealed interface Shape {

  /** A record written as an object. */
  record OfRecord(Class<?> type, Constructor<?> constructor, Field[] fields, int unknown)
      implements Shape {

    /**
     * Index of the field of that name, or -1. Linear: records are small and names mostly come in
     * order.
     */
    int indexOf(String name, int hint) {
      for (int i = 0; i < fields.length; i++) {
        int at = (hint + i) % fields.length;
        if (at != unknown && fields[at].name.equals(name)) {
          return at;
        }
      }
      return -1;
    }
  }

  /** A record written as its only component. */
  record OfInline(Constructor<?> constructor, Method accessor, Type inner) implements Shape {}

  /** A sealed family told apart by a field. */
  record OfFamily(String tag, Map<String, Class<?>> byName, Map<Class<?>, String> names)
      implements Shape {}

  /** An enum. */
  record OfEnum(Object[] constants, String[] names) implements Shape {}

  /** Anything else: its class decides. */
  record Plain(Class<?> type) implements Shape {}

  /** A component of a record. */
  record Field(String name, Type type, Method accessor, boolean unsigned) {}

  /** Shapes by class, each found once. */
  ClassValue<Shape> KNOWN =
      new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> type) {
          return find(type);
        }
      };

  private static Shape find(Class<?> type) {
    if (type.isRecord()) {
      return ofRecord(type);
    }
    if (type.isEnum()) {
      return ofEnum(type);
    }
    var tagged = type.getAnnotation(Tagged.class);
    return tagged == null ? new Plain(type) : ofFamily(type, tagged.value());
  }

  private static Shape ofRecord(Class<?> type) {
    var components = type.getRecordComponents();
    var types = new Class<?>[components.length];
    var fields = new Field[components.length];
    int unknown = -1;
    for (int i = 0; i < components.length; i++) {
      var component = components[i];
      types[i] = component.getType();
      var accessor = component.getAccessor();
      accessor.setAccessible(true);
      var name = component.getAnnotation(Name.class);
      if (component.getAnnotation(Unknown.class) != null) {
        unknown = i;
      }
      fields[i] =
          new Field(
              name == null ? component.getName() : name.value(),
              component.getGenericType(),
              accessor,
              component.getAnnotation(Unsigned.class) != null);
    }
    try {
      var constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return type.getAnnotation(Inline.class) != null && fields.length == 1
          ? new OfInline(constructor, fields[0].accessor, fields[0].type)
          : new OfRecord(type, constructor, fields, unknown);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("every record has its canonical constructor", e);
    }
  }

  private static Shape ofEnum(Class<?> type) {
    var constants = type.getEnumConstants();
    var names = new String[constants.length];
    for (int i = 0; i < constants.length; i++) {
      var constant = (Enum<?>) constants[i];
      names[i] = constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
      try {
        var name = type.getField(constant.name()).getAnnotation(Name.class);
        if (name != null) {
          names[i] = name.value();
        }
      } catch (NoSuchFieldException e) {
        throw new IllegalStateException("every enum constant is a field", e);
      }
    }
    return new OfEnum(constants, names);
  }

  private static Shape ofFamily(Class<?> type, String tag) {
    var byName = new HashMap<String, Class<?>>();
    var names = new HashMap<Class<?>, String>();
    for (var member : type.getPermittedSubclasses()) {
      if (!member.isRecord()) {
        continue;
      }
      var given = member.getAnnotation(Name.class);
      var simple = member.getSimpleName();
      var name =
          given == null
              ? Character.toLowerCase(simple.charAt(0)) + simple.substring(1)
              : given.value();
      byName.put(name, member);
      names.put(member, name);
    }
    return new OfFamily(tag, byName, names);
  }

  /** The class of a type that may have parameters. */
  static Class<?> raw(Type type) {
    return switch (type) {
      case Class<?> c -> c;
      case ParameterizedType p -> (Class<?>) p.getRawType();
      default -> Object.class;
    };
  }

  /** The n-th parameter of a type. */
  static Type parameter(Type type, int n) {
    return type instanceof ParameterizedType p ? p.getActualTypeArguments()[n] : Object.class;
  }

  /** Reads a component. */
  static Object get(Method accessor, Object owner) {
    try {
      return accessor.invoke(owner);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException("a record's accessor does not fail", e);
    }
  }
}
