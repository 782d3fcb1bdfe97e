import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { ContainerConfig, CreateContainerRequest, NamespaceMode } from '@coxswain/cri';
import { RpcError } from '@coxswain/grpc';
import type { StoredImage } from '../images/image-store.ts';
import { criSignalOf, signalNameOf } from '../machinery/index.ts';
import { Container, newContainerState, type Sandbox } from '../model/index.ts';
import {
  cgroupsPath,
  containerDevices,
  containerMounts,
  containerSpec,
  containerUser,
  type LinuxNamespace,
  securityOf,
} from '../oci/index.ts';
import { declaredVolumes, mountImages } from './image-volumes.ts';
import { namespacesAt } from './pinned-paths.ts';
import { publishEvent } from './publish-event.ts';
import { takeContainerAway } from './remove-container.ts';
import { newId, nowOf, type RuntimeContext } from './runtime-context.ts';
import { hostnameOf, sandboxMounts } from './sandbox-files.ts';

/**
 * Prepares a container: its root file system, and the OCI configuration that it will be started with. No process runs for it yet. What a
 * failed call has made is taken away.
 */
export async function createContainer(
  context: RuntimeContext,
  { podSandboxId, config }: CreateContainerRequest,
  signal: AbortSignal,
): Promise<Container> {
  if (!config?.metadata) throw new RpcError('InvalidArgument', 'container config must include metadata');
  const sandbox = context.sandboxes.get(podSandboxId);
  if (!sandbox.isReady) throw new Error(`sandbox ${JSON.stringify(sandbox.id)} is not ready`);
  refuseUnsupported(config, sandbox);
  const image = await imageOf(context, config);
  const container = describe(context, sandbox, config, image);
  const { id } = container;
  const { name } = container.description;
  try {
    context.containerNames.reserve(name, id);
  } catch (error) {
    throw new Error(`failed to reserve container name ${JSON.stringify(name)}: ${messageOf(error)}`, { cause: error });
  }
  return await context.turns.run(id, async () => {
    try {
      await container.record();
      context.containers.add(id, container);
      await prepare(context, sandbox, container, image, signal);
    } catch (error) {
      await takeContainerAway(context, container).catch((cause: unknown) =>
        context.logger.error('Failed to take away a container that could not be made', cause, { container: id }),
      );
      throw error;
    }
    publishEvent(context, id, 'CONTAINER_CREATED_EVENT', sandbox);
    return container;
  });
}

function refuseUnsupported(config: ContainerConfig, sandbox: Sandbox): void {
  const { privileged, namespaceOptions } = securityOf(config);
  if (config.cdiDevices.length > 0) {
    throw new Error(
      `CDI devices are not supported by this runtime: ${config.cdiDevices.map(({ name }) => name).join(', ')}`,
    );
  }
  if (privileged && !sandbox.config.linux?.securityContext?.privileged) {
    throw new Error('no privileged container allowed in sandbox');
  }
  if (namespaceOptions?.usernsOptions?.mode === 'POD')
    throw new Error('user namespaces are not supported by this runtime');
  if (config.mounts.some(({ uidMappings, gidMappings }) => uidMappings.length > 0 || gidMappings.length > 0)) {
    throw new Error('mounts with mapped ids are not supported by this runtime');
  }
}

async function imageOf({ images }: RuntimeContext, { image }: ContainerConfig): Promise<StoredImage> {
  const name = image?.image ?? '';
  const found = name === '' ? undefined : await images.find(name);
  if (!found) throw new RpcError('NotFound', `failed to resolve image ${JSON.stringify(name)}: not found`);
  return found;
}

function describe(context: RuntimeContext, sandbox: Sandbox, config: ContainerConfig, image: StoredImage): Container {
  const { name = '', attempt = 0 } = config.metadata ?? {};
  const pod = sandbox.metadata;
  const imageSignal = image.configuration.config.StopSignal;
  const stopSignal =
    config.stopSignal === 'RUNTIME_DEFAULT' ? imageSignal || 'SIGTERM' : signalNameOf(config.stopSignal);
  // Throws for a signal that there is not, before anything is made.
  criSignalOf(stopSignal);
  const { logDirectory } = sandbox.config;
  return new Container(
    context.containerRecords,
    {
      id: newId(context.random),
      sandboxId: sandbox.id,
      name: [name, pod.name, pod.namespace, pod.uid, attempt].join('_'),
      config,
      imageId: image.id,
      imageRef: image.repoDigests[0] ?? image.id,
      stopSignal,
      logPath: logDirectory !== '' && config.logPath !== '' ? join(logDirectory, config.logPath) : '',
      createdAt: nowOf(context.clock),
      hasOwnPids: pidMode(config, sandbox) === 'CONTAINER',
    },
    newContainerState,
  );
}

/** A sandbox whose containers have PID namespaces of their own holds none that another container could share. */
function pidMode(config: ContainerConfig, sandbox: Sandbox): NamespaceMode {
  const mode = securityOf(config).namespaceOptions?.pid ?? 'POD';
  return mode === 'POD' ? sandbox.namespaces.pid : mode;
}

async function prepare(
  context: RuntimeContext,
  sandbox: Sandbox,
  container: Container,
  image: StoredImage,
  signal: AbortSignal,
): Promise<void> {
  const { config, id, description } = container;
  const security = securityOf(config);
  const [{ path: rootPath }, mounts, devices, bundle] = await Promise.all([
    context.rootFileSystems.make(id, image.id, signal),
    mountImages(context, id, config.mounts, signal),
    containerDevices(config.devices, security.privileged),
    context.monitor.makeBundle(id),
    description.logPath !== '' && mkdir(dirname(description.logPath), { recursive: true, mode: 0o755 }),
  ]);
  const user = await containerUser(rootPath, image.configuration.config.User ?? '', security);
  const volumes = await declaredVolumes(context, container, image, rootPath);
  const spec = await containerSpec({
    config,
    image: image.configuration,
    hostname: hostnameOf(sandbox),
    rootPath,
    user,
    mounts: await containerMounts({
      mounts: [...volumes, ...mounts],
      sandboxMounts: sandboxMounts(sandbox, context.paths, security.readonlyRootfs),
      isPrivileged: security.privileged,
      hasRecursiveReadOnly: context.features.mountOptions.has('rro'),
    }),
    devices,
    namespaces: await namespacesOf(context, sandbox, config),
    cgroupsPath: cgroupsPath(sandbox.cgroupParent, id, context.cgroups.driver),
    annotations: annotationsOf(sandbox, config, image),
    node: context.node,
  });
  await writeFile(join(bundle, 'config.json'), JSON.stringify(spec), { mode: 0o600 });
  signal.throwIfAborted();
  const { uid, gid, additionalGids } = user;
  await container.update({ phase: 'created', user: { uid, gid, supplementalGroups: additionalGids } });
}

async function namespacesOf(
  context: RuntimeContext,
  sandbox: Sandbox,
  config: ContainerConfig,
): Promise<LinuxNamespace[]> {
  const shared = namespacesAt(await context.namespaces.find(sandbox.id));
  const pid = (target: number): LinuxNamespace[] => [...shared, { type: 'pid', path: `/proc/${target}/ns/pid` }];
  switch (pidMode(config, sandbox)) {
    case 'NODE':
      return shared;
    case 'CONTAINER':
      return [...shared, { type: 'pid' }];
    case 'TARGET': {
      const target = context.containers.get(securityOf(config).namespaceOptions?.targetId ?? '');
      const { process } = target.state;
      if (target.description.sandboxId !== sandbox.id)
        throw new Error(`container ${target.id} is not in sandbox ${sandbox.id}`);
      if (!target.isRunning || !process) throw new Error(`container ${target.id} is not running`);
      return pid(process.pid);
    }
    case 'POD': {
      const { init } = sandbox.state;
      if (!init) throw new Error('the sandbox has no PID namespace for its containers to share');
      return pid(init.pid);
    }
  }
}

/** What other programs look for in the configuration of a container, by containerd's names. */
function annotationsOf(
  { id, metadata }: Sandbox,
  { metadata: own }: ContainerConfig,
  image: StoredImage,
): Record<string, string> {
  const prefix = 'io.kubernetes.cri';
  return {
    [`${prefix}.container-type`]: 'container',
    [`${prefix}.container-name`]: own?.name ?? '',
    [`${prefix}.image-name`]: image.repoTags[0] ?? image.id,
    [`${prefix}.sandbox-id`]: id,
    [`${prefix}.sandbox-name`]: metadata.name,
    [`${prefix}.sandbox-namespace`]: metadata.namespace,
    [`${prefix}.sandbox-uid`]: metadata.uid,
  };
}
