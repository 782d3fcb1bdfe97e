/** An object whose spec is always present, as in Go, where it is a struct and not a pointer. */
export type WithSpec<T extends { spec?: unknown }> = T & { spec: NonNullable<T['spec']> };
