import { timeFromDate } from '@coxswain/apimachinery/time';
import type {
  CpuUsage,
  IoUsage,
  MemoryUsage,
  NetworkInterfaceUsage,
  NetworkUsage,
  PsiStats,
  SwapUsage,
} from '@coxswain/cri';
import type {
  CpuStats,
  InterfaceStats,
  IoStats,
  MemoryStats,
  NetworkStats,
  PressureData,
  PressureStats,
  SwapStats,
} from './summary.ts';

export const timeOf = (timestampNs: bigint): string => timeFromDate(new Date(Number(timestampNs / 1_000_000n)));

/** Null for 0. */
export const startTimeOf = (createdAtNs: bigint): string | null => (createdAtNs === 0n ? null : timeOf(createdAtNs));

/** `nanoCores` is the rate if the runtime does not tell it. */
export function cpuStats(cpu: CpuUsage, nanoCores: number | undefined): CpuStats {
  return {
    time: timeOf(cpu.timestamp),
    usageNanoCores: cpu.usageNanoCores?.value ?? nanoCores,
    usageCoreNanoSeconds: cpu.usageCoreNanoSeconds?.value,
    psi: pressureStats(cpu.psi),
  };
}

export function memoryStats(memory: MemoryUsage): MemoryStats {
  return {
    time: timeOf(memory.timestamp),
    availableBytes: memory.availableBytes?.value,
    usageBytes: memory.usageBytes?.value,
    workingSetBytes: memory.workingSetBytes?.value,
    rssBytes: memory.rssBytes?.value,
    pageFaults: memory.pageFaults?.value,
    majorPageFaults: memory.majorPageFaults?.value,
    psi: pressureStats(memory.psi),
  };
}

export function swapStats({ timestamp, swapAvailableBytes, swapUsageBytes }: SwapUsage): SwapStats {
  return {
    time: timeOf(timestamp),
    swapAvailableBytes: swapAvailableBytes?.value,
    swapUsageBytes: swapUsageBytes?.value,
  };
}

export const ioStats = ({ timestamp, psi }: IoUsage): IoStats => ({ time: timeOf(timestamp), psi: pressureStats(psi) });

export function networkStats({ timestamp, defaultInterface, interfaces }: NetworkUsage): NetworkStats {
  const byDefault = defaultInterface ? interfaceStats(defaultInterface) : { name: '' };
  return { time: timeOf(timestamp), ...byDefault, interfaces: interfaces.map(interfaceStats) };
}

const interfaceStats = ({ name, rxBytes, rxErrors, txBytes, txErrors }: NetworkInterfaceUsage): InterfaceStats => ({
  name,
  rxBytes: rxBytes?.value,
  rxErrors: rxErrors?.value,
  txBytes: txBytes?.value,
  txErrors: txErrors?.value,
});

const noPressure: PressureData = { total: 0, avg10: 0, avg60: 0, avg300: 0 };

const pressureStats = (psi: PsiStats | undefined): PressureStats | undefined =>
  psi && { full: psi.full ?? noPressure, some: psi.some ?? noPressure };
