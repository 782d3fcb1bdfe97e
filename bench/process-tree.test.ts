import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { usageOf } from './process-tree.ts';

describe.skipIf(process.platform !== 'linux')('what a process uses', () => {
  it('includes the children that it has waited for, and those that run', async () => {
    const busy = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done';
    const child = spawn('sh', ['-c', `sh -c '${busy}'; sleep 1000 & echo ready; wait`], { detached: true });
    try {
      await once(child.stdout, 'data');
      const { cpuMs, rssMiB } = usageOf(child.pid!);
      expect(cpuMs).toBeGreaterThan(0);
      expect(rssMiB).toBeGreaterThan(0);
    } finally {
      process.kill(-child.pid!, 'SIGKILL');
    }
  });

  it('is unknown of a process that does not run', () => {
    expect(() => usageOf(2 ** 22 + 1)).toThrow(/ENOENT/);
  });
});
