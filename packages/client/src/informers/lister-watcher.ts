import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ResourceInterface } from '../rest/resource-interface.ts';

/**
 * The methods that an informer needs of a client. Typed, dynamic and metadata clients all have them. The informer owns
 * the returned objects: it modifies and freezes parts of them.
 */
export type ListerWatcher<T extends KubernetesObject> = Pick<ResourceInterface<T>, 'list' | 'watch'>;
