import { readFile } from 'node:fs/promises';
import type { NetworkInterfaceUsage } from '@coxswain/cri';

/** The interfaces of the network namespace of a process, without loopback. None if the process has ended. */
export async function interfacesOf(pid: number): Promise<NetworkInterfaceUsage[]> {
  const text = await readFile(`/proc/${pid}/net/dev`, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name = '', counters = ''] = line.split(':');
    const values = counters.trim().split(/\s+/).map(Number);
    // Eight counters of what was received, then eight of what was sent.
    const [rxBytes, , rxErrors] = values;
    const [txBytes, , txErrors] = values.slice(8);
    if (values.length < 16 || name.trim() === 'lo') return [];
    const value = (count: number | undefined) => ({ value: count ?? 0 });
    return [
      {
        name: name.trim(),
        rxBytes: value(rxBytes),
        rxErrors: value(rxErrors),
        txBytes: value(txBytes),
        txErrors: value(txErrors),
      },
    ];
  });
}
