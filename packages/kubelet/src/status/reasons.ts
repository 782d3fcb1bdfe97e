/** The reason of containers that are restarted because another container of their pod exited. */
export const RESTARTING_ALL_CONTAINERS = 'RestartingAllContainers';

/** The reason of containers that the runtime no longer has. */
export const CONTAINER_STATUS_UNKNOWN = 'ContainerStatusUnknown';
