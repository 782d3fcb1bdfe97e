/** The components that a test can start, stop and restart. */
const components = ['controllers', 'scheduler', 'nodes'] as const;

/** A part that can be started and stopped on its own. */
export type Component = (typeof components)[number];

/** Who sends a request to the API server: a component, or whoever uses the cluster. */
export type Caller = Component | 'users';

/** What is started once, such as add-ons, counts among those who use the cluster. */
export const callerOf = (name: string): Caller => components.find((component) => component === name) ?? 'users';
