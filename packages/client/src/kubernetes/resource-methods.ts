import type { CreateOptions, KubernetesObject, ObjectMeta, Status } from '@coxswain/apimachinery/meta';
import type { CallOptions, ResourceInterface } from '../rest/index.ts';

/** Of the methods on a resource, those that it serves. */
export type Serves<T extends KubernetesObject, Method extends keyof ResourceInterface<T>> = Pick<
  ResourceInterface<T>,
  'resource' | 'namespace' | Method
>;

/** Every verb, on a resource without a status of its own. */
export type AllVerbs<T extends KubernetesObject> = Omit<ResourceInterface<T>, 'updateStatus'>;

/** A question to the server: creating it answers it, and nothing is kept. */
export interface Review<T extends KubernetesObject> extends Serves<T, never> {
  create(review: WithoutMetadata<T>, options?: CreateOptions & CallOptions): Promise<Answered<T>>;
}

/** An order to the server: creating it carries it out, and nothing is kept. */
export interface Order<T extends KubernetesObject> extends Serves<T, never> {
  create(order: T, options?: CreateOptions & CallOptions): Promise<Status>;
}

/** The server fills in the status of what it was asked. */
export type Answered<T> = T extends { status?: infer S } ? T & { status: NonNullable<S> } : T;

/** Metadata may be left out: nothing that is needed is in it. */
export type WithoutMetadata<T> = Omit<T, 'metadata'> & { readonly metadata?: ObjectMeta };
