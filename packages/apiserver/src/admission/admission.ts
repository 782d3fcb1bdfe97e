import type { UserInfo } from '@coxswain/api';
import type { GroupVersionKind, GroupVersionResource, KubernetesObject } from '@coxswain/apimachinery';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** A write on its way to the store, as admission plug-ins see it. */
export interface AdmissionAttributes {
  readonly operation: Operation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** Empty for a create whose name is to be generated. */
  readonly name: string;
  /** Empty for what is in no namespace. */
  readonly namespace: string;
  /** In its hub version; absent for a deletion. Mutating plug-ins change it in place. */
  readonly object?: KubernetesObject;
  /** As it is stored; absent for a create. */
  readonly oldObject?: KubernetesObject;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  readonly warn: (text: string) => void;
  readonly annotate: (key: string, value: string) => void;
}

/** One step of admission. Throws an ApiError to refuse the write. */
export interface AdmissionPlugin {
  /** As `--enable-admission-plugins` has it. */
  readonly name: string;
  readonly operations: readonly Operation[];
  /** May change the object. */
  admit?(attributes: AdmissionAttributes): Promise<void>;
  /** Sees the object as it would be stored. */
  validate?(attributes: AdmissionAttributes): Promise<void>;
}

/** All plug-ins that are on, in order: first everything that changes an object, then everything that judges it. */
export class AdmissionChain {
  readonly #admit: ReadonlyMap<Operation, readonly AdmissionPlugin[]>;
  readonly #validate: ReadonlyMap<Operation, readonly AdmissionPlugin[]>;

  constructor(plugins: readonly AdmissionPlugin[]) {
    const operations: Operation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
    const forEach = (step: 'admit' | 'validate') =>
      new Map(
        operations.map((operation) => [
          operation,
          plugins.filter((plugin) => plugin[step] && plugin.operations.includes(operation)),
        ]),
      );
    this.#admit = forEach('admit');
    this.#validate = forEach('validate');
  }

  /** Whether anybody wants to see such writes at all. */
  handles(operation: Operation): boolean {
    return this.#admit.get(operation)!.length > 0 || this.#validate.get(operation)!.length > 0;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#admit.get(attributes.operation)!) await plugin.admit?.(attributes);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#validate.get(attributes.operation)!) await plugin.validate?.(attributes);
  }
}
