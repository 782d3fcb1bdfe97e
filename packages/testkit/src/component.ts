/** The components that a test can start, stop and restart. */
const components = ['controllers', 'scheduler', 'nodes'] as const;

/** A component that can be started and stopped. */
export type Component = (typeof components)[number];

/** The sender of a request to the API server: a component, or `users` for clients of the cluster. */
export type Caller = Component | 'users';

/** Returns the caller for a component's name. Components that run only once, such as add-ons, count as `users`. */
export const callerOf = (name: string): Caller => components.find((component) => component === name) ?? 'users';
