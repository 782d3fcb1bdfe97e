import { messageOf } from '@coxswain/apimachinery/errors';
import type { RunPodSandboxRequest } from '@coxswain/cri';
import { RpcError } from '@coxswain/grpc';
import { Sandbox } from '../model/index.ts';
import type { NetworkedPod } from '../network/pod-network.ts';
import { networkedPod } from './networked-pod.ts';
import { namespacesAt } from './pinned-paths.ts';
import { publishEvent } from './publish-event.ts';
import { newId, nowOf, type RuntimeContext } from './runtime-context.ts';
import { makeSandboxFiles } from './sandbox-files.ts';
import { startSandboxInit } from './sandbox-init.ts';
import { takeSandboxAway } from './stop-sandbox.ts';

/** Names of runtime handlers: there is one, with two names. */
export const runtimeHandlers: readonly string[] = ['', 'runc'];

/** Lets pods use ports below 1024 and `ping` without privileges, as containerd does. */
const podSysctls = { 'net.ipv4.ip_unprivileged_port_start': '0', 'net.ipv4.ping_group_range': '0 2147483647' };

/** Makes a sandbox and returns it when it is ready. What a failed call has made is taken away. */
export async function runSandbox(
  context: RuntimeContext,
  request: RunPodSandboxRequest,
  signal: AbortSignal,
): Promise<Sandbox> {
  const { config, runtimeHandler } = request;
  if (!config?.metadata) throw new RpcError('InvalidArgument', 'sandbox config must include metadata');
  if (!runtimeHandlers.includes(runtimeHandler)) {
    throw new Error(`failed to get sandbox runtime: no runtime for "${runtimeHandler}" is configured`);
  }
  if (config.linux?.securityContext?.namespaceOptions?.usernsOptions?.mode === 'POD') {
    throw new Error('failed to run sandbox: user namespaces are not supported by this runtime');
  }
  const id = newId(context.random);
  const description = { id, config, runtimeHandler, createdAt: nowOf(context.clock) };
  const sandbox = new Sandbox(context.sandboxRecords, description, { phase: 'making', ips: [] });
  try {
    context.sandboxNames.reserve(sandbox.name, id);
  } catch (error) {
    throw new Error(`failed to reserve sandbox name ${JSON.stringify(sandbox.name)}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return await context.turns.run(id, async () => {
    try {
      await sandbox.record();
      context.sandboxes.add(id, sandbox);
      await make(context, sandbox, signal);
    } catch (error) {
      await takeAwayFailed(context, sandbox);
      throw error;
    }
    publishEvent(context, id, 'CONTAINER_CREATED_EVENT', sandbox);
    publishEvent(context, id, 'CONTAINER_STARTED_EVENT', sandbox);
    return sandbox;
  });
}

async function make(context: RuntimeContext, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  const { namespaces, id, config } = sandbox;
  const types: ('net' | 'ipc' | 'uts')[] = [
    ...(namespaces.network === 'POD' ? (['net', 'uts'] as const) : []),
    ...(namespaces.ipc === 'POD' ? (['ipc'] as const) : []),
  ];
  const hasNetwork = namespaces.network === 'POD';
  const sysctls = { ...(hasNetwork && podSysctls), ...config.linux?.sysctls };
  const request = { id, types, sysctls, ...(hasNetwork && config.hostname !== '' && { hostname: config.hostname }) };
  const pinning = context.namespaces.make(request, signal);
  // Both are awaited even if one fails: what is under way must not go on while it is taken away.
  const [pinned, files] = await Promise.allSettled([
    pinning,
    makeSandboxFiles(sandbox, context.paths, context.commands),
  ]);
  if (pinned.status === 'rejected') throw pinned.reason;
  if (files.status === 'rejected') throw files.reason;
  signal.throwIfAborted();
  const paths = pinned.value;
  const pod = networkedPod(sandbox, paths.net ?? '');
  const ips = hasNetwork ? (await connect(context, pod, signal)).ips : [];
  const init = namespaces.pid === 'POD' ? await startSandboxInit(context, sandbox, namespacesAt(paths)) : undefined;
  signal.throwIfAborted();
  await sandbox.update({ phase: 'ready', ips, ...(init && { init }) });
}

async function connect({ network }: RuntimeContext, pod: NetworkedPod, signal: AbortSignal) {
  try {
    return await network.setUp(pod, signal);
  } catch (error) {
    throw new Error(`failed to setup network for sandbox ${JSON.stringify(pod.id)}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** If taking away fails, too, the sandbox stays in the list as one that is not ready, so that it can be stopped and removed. */
async function takeAwayFailed(context: RuntimeContext, sandbox: Sandbox): Promise<void> {
  try {
    await takeSandboxAway(context, sandbox);
    await sandbox.erase();
    context.sandboxes.delete(sandbox.id);
    context.sandboxNames.release(sandbox.name, sandbox.id);
  } catch (error) {
    context.logger.error('Failed to take away a sandbox that could not be made', error, { sandbox: sandbox.id });
    await sandbox.update({ phase: 'stopped' });
  }
}
