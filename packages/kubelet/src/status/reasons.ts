/** The reason of containers that are started anew because another one of their pod ended. */
export const RESTARTING_ALL_CONTAINERS = 'RestartingAllContainers';

/** The reason of containers that the runtime knows nothing of any more. */
export const CONTAINER_STATUS_UNKNOWN = 'ContainerStatusUnknown';
