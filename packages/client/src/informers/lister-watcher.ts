import type { KubernetesObject } from '@coxswain/apimachinery/meta';
import type { ResourceInterface } from '../rest/resource-interface.ts';

/**
 * What an informer needs of a client. Typed, dynamic and metadata clients all fit. The objects that it brings are the
 * informer's from then on: it changes and freezes parts of them.
 */
export type ListerWatcher<T extends KubernetesObject> = Pick<ResourceInterface<T>, 'list' | 'watch'>;
