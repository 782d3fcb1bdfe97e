import assert from 'node:assert/strict';
import { type RpcCode, RpcError } from '@coxswain/grpc';
import type { ContainerStatus, PodSandboxStatus } from '../generated/messages.ts';
import type { RuntimeService } from '../services.ts';

export async function sandboxStatus(runtime: RuntimeService, podSandboxId: string): Promise<PodSandboxStatus> {
  const { status } = await runtime.podSandboxStatus({ podSandboxId });
  assert.ok(status, 'the answer has no status');
  return status;
}

export async function containerStatus(runtime: RuntimeService, containerId: string): Promise<ContainerStatus> {
  const { status } = await runtime.containerStatus({ containerId });
  assert.ok(status, 'the answer has no status');
  return status;
}

/** Asserts that a call fails with a code. */
export async function failsWith(code: RpcCode, call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof RpcError, `${String(error)} is not an RpcError`);
    assert.equal(error.code, code, error.message);
    return true;
  });
}
