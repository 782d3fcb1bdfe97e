import type { EnvVar } from '@coxswain/api/core/v1';
import type { ExecSyncRequest, ExecSyncResponse, RuntimeService } from '@coxswain/cri';
import { type Init, RpcError } from '@coxswain/grpc';
import { describe, expect, it } from 'vitest';
import { probeOnce } from './probing.test-data.ts';

/** Returns the calls of the runtime with the result. */
async function probeExec(answer: Partial<ExecSyncResponse> | Error, env: EnvVar[] = []) {
  const calls: [Init<ExecSyncRequest>, number | undefined][] = [];
  const execSync: RuntimeService['execSync'] = async (request, { timeoutMs } = {}) => {
    calls.push([request, timeoutMs]);
    if (answer instanceof Error) throw answer;
    return { stdout: new Uint8Array(), stderr: new Uint8Array(), exitCode: 0, ...answer };
  };
  const probe = { exec: { command: ['check', '$(DEPTH)'] }, timeoutSeconds: 5 };
  const result = await probeOnce({ probe, container: { env }, execSync });
  return { calls, result };
}

describe('an exec probe', () => {
  it('runs the command with the variables that are written in the container', async () => {
    const { calls, result } = await probeExec({ stdout: Buffer.from('fine') }, [{ name: 'DEPTH', value: '3' }]);
    expect(result).toEqual({ outcome: 'Success', output: 'fine' });
    // The runtime has two minutes more, to end the command and to clean up.
    expect(calls).toEqual([[{ containerId: 'c1', cmd: ['check', '3'], timeout: 5 }, 125_000]]);
  });

  it('fails with another exit code, and tells what the command wrote', async () => {
    const { result } = await probeExec({ exitCode: 3, stdout: Buffer.from('out '), stderr: Buffer.from('err') });
    expect(result).toEqual({ outcome: 'Failure', output: 'out err' });
  });

  it('tells the first 10 KB', async () => {
    const { result } = await probeExec({
      exitCode: 1,
      stdout: Buffer.alloc(9000, 'a'),
      stderr: Buffer.alloc(9000, 'b'),
    });
    expect(result.output).toBe('a'.repeat(9000) + 'b'.repeat(1240));
  });

  it('fails if the command takes too long', async () => {
    const { result } = await probeExec(new RpcError('DeadlineExceeded', 'timeout 5s exceeded'));
    const output = 'command timed out: "check $(DEPTH)" timed out after 5s';
    expect(result).toEqual({ outcome: 'Failure', output });
  });

  it('is an error if the runtime cannot run the command', async () => {
    const gone = probeExec(new RpcError('NotFound', 'no such container'));
    await expect(gone).rejects.toThrow('rpc error: code = NotFound desc = no such container');
  });
});

it('a probe that asks nothing is an error', async () => {
  await expect(probeOnce({ probe: {} })).rejects.toThrow('missing probe handler for p_default(u):web');
});
