package dev.caisson.engine.spec;

import dev.caisson.json.Name;
import dev.caisson.json.Unknown;
import dev.caisson.json.Unsigned;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a container may use. Source: runtime specification, config-linux.md, Control groups.
 *
 * @param devices which devices, in this order
 * @param memory memory
 * @param cpu processors
 * @param pids processes
 * @param blockIo disks
 * @param hugepageLimits huge pages
 * @param network marks of its packets
 * @param rdma remote memory, by device
 * @param unified cgroup v2 files and what is written to them
 * @param others everything else, unchanged
 */
public record Resources(
    List<DeviceRule> devices,
    Optional<Memory> memory,
    Optional<Cpu> cpu,
    Optional<Pids> pids,
    @Name("blockIO") Optional<BlockIo> blockIo,
    List<HugepageLimit> hugepageLimits,
    Optional<NetworkClass> network,
    Map<String, Rdma> rdma,
    Map<String, String> unified,
    @Unknown Map<String, Object> others) {

  /** No limits. */
  public static final Resources NONE =
      new Resources(
          List.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          List.of(),
          Optional.empty(),
          Map.of(),
          Map.of(),
          Map.of());

  /** Copies what could change under it. */
  public Resources {
    devices = List.copyOf(devices);
    hugepageLimits = List.copyOf(hugepageLimits);
    rdma = Ordered.copy(rdma);
    unified = Ordered.copy(unified);
    others = Ordered.copy(others);
  }

  /**
   * Whether some devices may be used.
   *
   * @param allow whether they may
   * @param type {@code c}, {@code b}, or {@code a} for all
   * @param major which driver; all when empty
   * @param minor which of the driver's devices; all when empty
   * @param access letters of {@code rwm}: read, write, make nodes
   * @param others everything else, unchanged
   */
  public record DeviceRule(
      Optional<Boolean> allow,
      Optional<String> type,
      Optional<Long> major,
      Optional<Long> minor,
      Optional<String> access,
      @Unknown Map<String, Object> others) {

    /** Copies what could change under it. */
    public DeviceRule {
      others = Ordered.copy(others);
    }
  }

  /**
   * Bounds of memory in bytes; {@code -1} is unlimited.
   *
   * @param limit most memory
   * @param reservation memory below which it is spared
   * @param swap most memory and swap together
   * @param kernel most memory of the kernel; passed over by newer ones
   * @param kernelTcp most memory of TCP buffers
   * @param swappiness inclination to swap, 0 to 100
   * @param disableOomKiller wait instead of ending a process
   * @param useHierarchy count the groups below it
   * @param checkBeforeUpdate refuse a limit below what is used
   * @param others everything else, unchanged
   */
  public record Memory(
      Optional<Long> limit,
      Optional<Long> reservation,
      Optional<Long> swap,
      Optional<Long> kernel,
      @Name("kernelTCP") Optional<Long> kernelTcp,
      @Unsigned Optional<Long> swappiness,
      @Name("disableOOMKiller") Optional<Boolean> disableOomKiller,
      Optional<Boolean> useHierarchy,
      Optional<Boolean> checkBeforeUpdate,
      @Unknown Map<String, Object> others) {

    /** No bounds. */
    public static final Memory NONE =
        new Memory(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Map.of());

    /** Copies what could change under it. */
    public Memory {
      others = Ordered.copy(others);
    }

    /** This with another {@code limit}. */
    public Memory withLimit(long limit) {
      return new Memory(
          Optional.of(limit),
          reservation,
          swap,
          kernel,
          kernelTcp,
          swappiness,
          disableOomKiller,
          useHierarchy,
          checkBeforeUpdate,
          others);
    }

    /** This with another {@code reservation}. */
    public Memory withReservation(long reservation) {
      return new Memory(
          limit,
          Optional.of(reservation),
          swap,
          kernel,
          kernelTcp,
          swappiness,
          disableOomKiller,
          useHierarchy,
          checkBeforeUpdate,
          others);
    }

    /** This with another {@code swap}. */
    public Memory withSwap(long swap) {
      return new Memory(
          limit,
          reservation,
          Optional.of(swap),
          kernel,
          kernelTcp,
          swappiness,
          disableOomKiller,
          useHierarchy,
          checkBeforeUpdate,
          others);
    }
  }

  /**
   * Bounds of processor time; times in microseconds.
   *
   * @param shares weight, 2 to 262144; 0 is not set
   * @param quota time in each period; negative is unlimited, 0 is not set
   * @param burst unused time that may be saved up
   * @param period length of a period
   * @param realtimeRuntime time of realtime processes in each of their periods
   * @param realtimePeriod length of such a period
   * @param cpus processors it may run on, {@code 0-2,4}
   * @param mems memory nodes it may use
   * @param idle 1: only when nobody else wants to run
   * @param others everything else, unchanged
   */
  public record Cpu(
      @Unsigned Optional<Long> shares,
      Optional<Long> quota,
      @Unsigned Optional<Long> burst,
      @Unsigned Optional<Long> period,
      Optional<Long> realtimeRuntime,
      @Unsigned Optional<Long> realtimePeriod,
      Optional<String> cpus,
      Optional<String> mems,
      Optional<Long> idle,
      @Unknown Map<String, Object> others) {

    /** No bounds. */
    public static final Cpu NONE =
        new Cpu(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Map.of());

    /** Copies what could change under it. */
    public Cpu {
      others = Ordered.copy(others);
    }

    /** This with another {@code shares}. */
    public Cpu withShares(long shares) {
      return new Cpu(
          Optional.of(shares),
          quota,
          burst,
          period,
          realtimeRuntime,
          realtimePeriod,
          cpus,
          mems,
          idle,
          others);
    }

    /** This with another {@code quota}. */
    public Cpu withQuota(long quota) {
      return new Cpu(
          shares,
          Optional.of(quota),
          burst,
          period,
          realtimeRuntime,
          realtimePeriod,
          cpus,
          mems,
          idle,
          others);
    }

    /** This with another {@code period}. */
    public Cpu withPeriod(long period) {
      return new Cpu(
          shares,
          quota,
          burst,
          Optional.of(period),
          realtimeRuntime,
          realtimePeriod,
          cpus,
          mems,
          idle,
          others);
    }

    /** This with another {@code cpus}. */
    public Cpu withCpus(String cpus) {
      return new Cpu(
          shares,
          quota,
          burst,
          period,
          realtimeRuntime,
          realtimePeriod,
          Optional.of(cpus),
          mems,
          idle,
          others);
    }

    /** This with another {@code mems}. */
    public Cpu withMems(String mems) {
      return new Cpu(
          shares,
          quota,
          burst,
          period,
          realtimeRuntime,
          realtimePeriod,
          cpus,
          Optional.of(mems),
          idle,
          others);
    }
  }

  /**
   * Bound of processes and threads.
   *
   * @param limit most; {@code -1} is unlimited, 0 is not set
   * @param others everything else, unchanged
   */
  public record Pids(Optional<Long> limit, @Unknown Map<String, Object> others) {

    /** Copies what could change under it. */
    public Pids {
      others = Ordered.copy(others);
    }
  }

  /**
   * Bounds of disk use.
   *
   * @param weight share, 10 to 1000
   * @param leafWeight share against the groups below it
   * @param weightDevice shares by device
   * @param throttleReadBps bytes read in a second
   * @param throttleWriteBps bytes written in a second
   * @param throttleReadIops reads in a second
   * @param throttleWriteIops writes in a second
   * @param others everything else, unchanged
   */
  public record BlockIo(
      Optional<Integer> weight,
      Optional<Integer> leafWeight,
      List<WeightDevice> weightDevice,
      @Name("throttleReadBpsDevice") List<ThrottleDevice> throttleReadBps,
      @Name("throttleWriteBpsDevice") List<ThrottleDevice> throttleWriteBps,
      @Name("throttleReadIOPSDevice") List<ThrottleDevice> throttleReadIops,
      @Name("throttleWriteIOPSDevice") List<ThrottleDevice> throttleWriteIops,
      @Unknown Map<String, Object> others) {

    /** No bounds. */
    public static final BlockIo NONE =
        new BlockIo(
            Optional.empty(),
            Optional.empty(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            Map.of());

    /** Copies what could change under it. */
    public BlockIo {
      weightDevice = List.copyOf(weightDevice);
      throttleReadBps = List.copyOf(throttleReadBps);
      throttleWriteBps = List.copyOf(throttleWriteBps);
      throttleReadIops = List.copyOf(throttleReadIops);
      throttleWriteIops = List.copyOf(throttleWriteIops);
      others = Ordered.copy(others);
    }
  }

  /**
   * Share of one disk.
   *
   * @param major which driver
   * @param minor which of the driver's devices
   * @param weight share, 10 to 1000
   * @param leafWeight share against the groups below it
   * @param others everything else, unchanged
   */
  public record WeightDevice(
      Optional<Long> major,
      Optional<Long> minor,
      Optional<Integer> weight,
      Optional<Integer> leafWeight,
      @Unknown Map<String, Object> others) {

    /** Copies what could change under it. */
    public WeightDevice {
      others = Ordered.copy(others);
    }
  }

  /**
   * Bound for one disk.
   *
   * @param major which driver
   * @param minor which of the driver's devices
   * @param rate bytes or operations in a second
   * @param others everything else, unchanged
   */
  public record ThrottleDevice(
      Optional<Long> major,
      Optional<Long> minor,
      @Unsigned Optional<Long> rate,
      @Unknown Map<String, Object> others) {

    /** Copies what could change under it. */
    public ThrottleDevice {
      others = Ordered.copy(others);
    }
  }

  /**
   * Bound of huge pages of one size.
   *
   * @param pageSize {@code 2MB}
   * @param limit bytes
   * @param others everything else, unchanged
   */
  public record HugepageLimit(
      String pageSize, @Unsigned Optional<Long> limit, @Unknown Map<String, Object> others) {

    /** Copies what could change under it. */
    public HugepageLimit {
      others = Ordered.copy(others);
    }
  }

  /**
   * Marks of a container's packets.
   *
   * @param classId mark
   * @param priorities priorities by interface
   * @param others everything else, unchanged
   */
  public record NetworkClass(
      @Name("classID") Optional<Long> classId,
      List<InterfacePriority> priorities,
      @Unknown Map<String, Object> others) {

    /** Copies what could change under it. */
    public NetworkClass {
      priorities = List.copyOf(priorities);
      others = Ordered.copy(others);
    }
  }

  /**
   * Priority of a container's packets on one interface.
   *
   * @param name interface of the host
   * @param priority priority
   * @param others everything else, unchanged
   */
  public record InterfacePriority(
      String name, Optional<Long> priority, @Unknown Map<String, Object> others) {

    /** Copies what could change under it. */
    public InterfacePriority {
      others = Ordered.copy(others);
    }
  }

  /**
   * Bounds of remote memory for one device.
   *
   * @param hcaHandles handles
   * @param hcaObjects objects
   * @param others everything else, unchanged
   */
  public record Rdma(
      Optional<Long> hcaHandles, Optional<Long> hcaObjects, @Unknown Map<String, Object> others) {

    /** Copies what could change under it. */
    public Rdma {
      others = Ordered.copy(others);
    }
  }

  /** This with another {@code devices}. */
  public Resources withDevices(List<DeviceRule> devices) {
    return new Resources(
        devices, memory, cpu, pids, blockIo, hugepageLimits, network, rdma, unified, others);
  }

  /** This with another {@code memory}. */
  public Resources withMemory(Memory memory) {
    return new Resources(
        devices,
        Optional.of(memory),
        cpu,
        pids,
        blockIo,
        hugepageLimits,
        network,
        rdma,
        unified,
        others);
  }

  /** This with another {@code cpu}. */
  public Resources withCpu(Cpu cpu) {
    return new Resources(
        devices,
        memory,
        Optional.of(cpu),
        pids,
        blockIo,
        hugepageLimits,
        network,
        rdma,
        unified,
        others);
  }

  /** This with another {@code pids}. */
  public Resources withPids(Pids pids) {
    return new Resources(
        devices,
        memory,
        cpu,
        Optional.of(pids),
        blockIo,
        hugepageLimits,
        network,
        rdma,
        unified,
        others);
  }

  /** This with another {@code blockIo}. */
  public Resources withBlockIo(BlockIo blockIo) {
    return new Resources(
        devices,
        memory,
        cpu,
        pids,
        Optional.of(blockIo),
        hugepageLimits,
        network,
        rdma,
        unified,
        others);
  }
}
