import type { ContainerEventResponse, RuntimeService } from '@coxswain/cri';

type Labels = Readonly<Record<string, string>>;

/**
 * Returns a view of a runtime that several kubelets share. It adds the labels to each sandbox and container that it creates, and lists only
 * sandboxes and containers with these labels. So no kubelet removes the pods of another one as orphans. Images are shared by all.
 */
export function ownedRuntime<T extends { readonly runtime: RuntimeService }>(runtime: T, labels: Labels): T {
  return { ...runtime, runtime: ownedService(runtime.runtime, labels) };
}

function ownedService(service: RuntimeService, labels: Labels): RuntimeService {
  const labelled = <T extends { readonly labels?: Labels | undefined }>(config: T | undefined) =>
    config && { ...config, labels: { ...config.labels, ...labels } };
  const filtered = <T extends { readonly labelSelector?: Labels | undefined }>(filter: T | undefined) => ({
    ...filter,
    labelSelector: { ...filter?.labelSelector, ...labels },
  });
  return {
    ...service,
    runPodSandbox: (request, options) =>
      service.runPodSandbox({ ...request, config: labelled(request.config) }, options),
    createContainer: (request, options) =>
      service.createContainer(
        { ...request, config: labelled(request.config), sandboxConfig: labelled(request.sandboxConfig) },
        options,
      ),
    listPodSandbox: (request, options) =>
      service.listPodSandbox({ ...request, filter: filtered(request.filter) }, options),
    listContainers: (request, options) =>
      service.listContainers({ ...request, filter: filtered(request.filter) }, options),
    listContainerStats: (request, options) =>
      service.listContainerStats({ ...request, filter: filtered(request.filter) }, options),
    listPodSandboxStats: (request, options) =>
      service.listPodSandboxStats({ ...request, filter: filtered(request.filter) }, options),
    getContainerEvents: (request, options) => ownedEvents(service.getContainerEvents(request, options), labels),
  };
}

async function* ownedEvents(
  events: AsyncIterable<ContainerEventResponse>,
  labels: Labels,
): AsyncGenerator<ContainerEventResponse> {
  for await (const event of events) {
    const has = event.podSandboxStatus?.labels ?? {};
    if (Object.entries(labels).every(([key, value]) => has[key] === value)) yield event;
  }
}
