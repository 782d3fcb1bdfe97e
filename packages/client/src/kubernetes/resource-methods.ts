import type { CreateOptions, KubernetesObject, ObjectMeta, Status } from '@coxswain/apimachinery/meta';
import type { CallOptions, ResourceInterface } from '../rest/index.ts';

/** The methods that a resource serves. */
export type Serves<T extends KubernetesObject, Method extends keyof ResourceInterface<T>> = Pick<
  ResourceInterface<T>,
  'resource' | 'namespace' | Method
>;

/** All verbs, on a resource without a status subresource. */
export type AllVerbs<T extends KubernetesObject> = Omit<ResourceInterface<T>, 'updateStatus'>;

/**
 * A virtual resource such as a TokenReview: the response to `create` has the result in its status, and nothing is
 * stored.
 */
export interface Review<T extends KubernetesObject> extends Serves<T, never> {
  create(review: WithoutMetadata<T>, options?: CreateOptions & CallOptions): Promise<Answered<T>>;
}

/** A virtual resource such as a Binding: `create` performs an action, and nothing is stored. */
export interface Order<T extends KubernetesObject> extends Serves<T, never> {
  create(order: T, options?: CreateOptions & CallOptions): Promise<Status>;
}

/** The type with the status that the server fills in. */
export type Answered<T> = T extends { status?: infer S } ? T & { status: NonNullable<S> } : T;

/** The type with optional metadata, for requests that need none. */
export type WithoutMetadata<T> = Omit<T, 'metadata'> & { readonly metadata?: ObjectMeta };
