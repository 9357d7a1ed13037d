package dev.caisson.cli;

import dev.caisson.library.ByteSizes;
import dev.caisson.library.Limits;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a container may use: options of {@code run}, {@code create} and {@code update}. */
final class LimitOptions {
  private static final int NANO_DIGITS = 9;

  private final Option.Text memory;
  private final Option.Text memorySwap;
  private final Option.Text memoryReservation;
  private final Option.Text cpus;
  private final Option.Text cpuShares;
  private final Option.Text cpuPeriod;
  private final Option.Text cpuQuota;
  private final Option.Text cpusetCpus;
  private final Option.Text cpusetMems;
  private final Option.Text pids;
  private final Option.Text weight;
  private final Option.Texts readBytes;
  private final Option.Texts writeBytes;
  private final Option.Texts readOperations;
  private final Option.Texts writeOperations;

  LimitOptions(Options options) {
    memory = options.text('m', "memory", "BYTES", "Memory it may use");
    memorySwap = options.text("memory-swap", "BYTES", "Memory and swap together; -1: any swap");
    memoryReservation =
        options.text("memory-reservation", "BYTES", "Memory it keeps when memory runs short");
    cpus = options.text("cpus", "NUMBER", "Processors it may use, such as 1.5");
    cpuShares = options.text('c', "cpu-shares", "WEIGHT", "Weight against others, 1024 usual");
    cpuPeriod = options.text("cpu-period", "MICROSECONDS", "Period of the CFS quota");
    cpuQuota = options.text("cpu-quota", "MICROSECONDS", "Processor time in each CFS period");
    cpusetCpus = options.text("cpuset-cpus", "LIST", "Processors it may run on, such as 0-2,4");
    cpusetMems = options.text("cpuset-mems", "LIST", "Memory nodes it may use");
    pids = options.text("pids-limit", "NUMBER", "Processes and threads; -1: any number");
    weight = options.text("blkio-weight", "WEIGHT", "Weight of its block I/O, 10 to 1000");
    readBytes = options.texts("device-read-bps", "DEVICE:RATE", "Bytes read per second");
    writeBytes = options.texts("device-write-bps", "DEVICE:RATE", "Bytes written per second");
    readOperations = options.texts("device-read-iops", "DEVICE:RATE", "Reads per second");
    writeOperations = options.texts("device-write-iops", "DEVICE:RATE", "Writes per second");
  }

  Limits limits() {
    return new Limits(
        bytes(memory),
        bytesOrUnlimited(memorySwap),
        bytes(memoryReservation),
        nanos(cpus),
        number(cpuShares),
        number(cpuPeriod),
        number(cpuQuota),
        cpusetCpus.value(),
        cpusetMems.value(),
        number(pids),
        whole(weight),
        rates());
  }

  private List<Limits.DeviceRate> rates() {
    var rates = new ArrayList<Limits.DeviceRate>();
    addRates(rates, readBytes, Limits.RateKind.READ_BYTES);
    addRates(rates, writeBytes, Limits.RateKind.WRITE_BYTES);
    addRates(rates, readOperations, Limits.RateKind.READ_OPERATIONS);
    addRates(rates, writeOperations, Limits.RateKind.WRITE_OPERATIONS);
    return rates;
  }

  private static void addRates(
      List<Limits.DeviceRate> rates, Option.Texts option, Limits.RateKind kind) {
    boolean inBytes = kind == Limits.RateKind.READ_BYTES || kind == Limits.RateKind.WRITE_BYTES;
    for (var text : option.values()) {
      int colon = text.lastIndexOf(':');
      if (colon < 1) {
        throw option.invalid(text, "say /dev/NAME:RATE");
      }
      var rate = text.substring(colon + 1);
      rates.add(
          new Limits.DeviceRate(
              text.substring(0, colon),
              kind,
              inBytes ? parseBytes(option, rate) : parseNumber(option, rate)));
    }
  }

  private static Optional<Long> bytesOrUnlimited(Option.Text option) {
    return option.value().isPresent() && option.value().get().equals("-1")
        ? Optional.of(-1L)
        : bytes(option);
  }

  /** The value as a size. */
  static Optional<Long> bytes(Option.Text option) {
    return option.value().isPresent()
        ? Optional.of(parseBytes(option, option.value().get()))
        : Optional.empty();
  }

  private static long parseBytes(Option option, String text) {
    try {
      return ByteSizes.parse(text);
    } catch (IllegalArgumentException e) {
      throw option.invalid(text, "say a number of bytes with k, m, g behind, such as 64m");
    }
  }

  /** The value as a number. */
  static Optional<Long> number(Option.Text option) {
    return option.value().isPresent()
        ? Optional.of(parseNumber(option, option.value().get()))
        : Optional.empty();
  }

  /** The value as a number of 32 bits. */
  static Optional<Integer> whole(Option.Text option) {
    var number = number(option);
    if (number.isEmpty()) {
      return Optional.empty();
    }
    long value = number.get();
    if (value != (int) value) {
      throw option.invalid(Long.toString(value), "the number is too great");
    }
    return Optional.of((int) value);
  }

  private static long parseNumber(Option option, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw option.invalid(text, "say a whole number");
    }
  }

  private static Optional<Long> nanos(Option.Text option) {
    if (option.value().isEmpty()) {
      return Optional.empty();
    }
    var text = option.value().get();
    try {
      if (text.length() > 20) {
        throw new NumberFormatException(text);
      }
      return Optional.of(new BigDecimal(text).movePointRight(NANO_DIGITS).longValueExact());
    } catch (NumberFormatException | ArithmeticException e) {
      throw option.invalid(text, "say a number such as 1.5");
    }
  }
}
