/** An object as it is in memory, where a spec that is no pointer is always there. */
export type WithSpec<T extends { spec?: unknown }> = T & { spec: NonNullable<T['spec']> };
