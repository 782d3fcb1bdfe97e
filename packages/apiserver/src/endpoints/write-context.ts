import type { KubernetesObject, OwnerReference } from '@coxswain/apimachinery';
import { nodeSignatures } from '@coxswain/client/x509';
import type { AdmissionAttributes, Operation } from '../admission/admission.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { WriteContext } from '../registry/resource-hooks.ts';
import type { Turns } from '../turns/turns.ts';
import { admissionObjects } from './admission-objects.ts';
import type { ResourceScope } from './scope.ts';

/** Returns the context of a write for strategies. */
export const writeContext = (context: RequestContext, scope: ResourceScope, dryRun: boolean): WriteContext =>
  new RequestWriteContext(context, scope, dryRun);

class RequestWriteContext implements WriteContext {
  readonly features: WriteContext['features'];
  readonly namespace?: string;
  readonly user: RequestContext['user'];
  readonly now: () => Date;
  readonly allowPrivileged: boolean;
  readonly serviceIPFamilies: NonNullable<WriteContext['serviceIPFamilies']>;
  readonly warn: (warning: string) => void;
  readonly requestGroupVersion: string;
  readonly dryRun: boolean;
  readonly signatures: WriteContext['signatures'];
  readonly #scope: ResourceScope;
  readonly #request: RequestContext;

  constructor(context: RequestContext, scope: ResourceScope, dryRun: boolean) {
    const { services } = scope;
    this.features = services.features;
    if (scope.namespaced) this.namespace = context.info.namespace;
    this.user = context.user;
    this.now = services.now;
    this.allowPrivileged = services.allowPrivileged;
    this.serviceIPFamilies = services.serviceIPFamilies;
    this.warn = context.warn;
    this.requestGroupVersion = scope.kind.apiVersion;
    this.dryRun = dryRun;
    this.signatures = nodeSignatures;
    this.#scope = scope;
    this.#request = context;
  }

  get turns(): Turns | undefined {
    return this.#request.turns;
  }

  set turns(turns: Turns | undefined) {
    this.#request.turns = turns;
  }

  /** A getter, because few strategies use it. */
  get uuid(): () => string {
    return this.#scope.registry.random.uuid;
  }

  /** A getter, because few strategies use it. */
  get namespaceLabels(): Readonly<Record<string, string>> {
    return this.#scope.services.namespaces.get('', this.namespace ?? '')?.metadata?.labels ?? {};
  }
}

type WriteParts = Pick<AdmissionAttributes, 'object' | 'oldObject' | 'dryRun' | 'options'> & {
  readonly name?: string;
  readonly subresource?: string;
  /** When it differs from the kind of the scope: an object posted to a subresource, or connect options. */
  readonly kind?: AdmissionAttributes['kind'];
  /** When it differs from the resource of the scope: the legacy resource `bindings`. */
  readonly resource?: AdmissionAttributes['resource'];
};

/**
 * Returns the admission attributes of a write. The return type is the class, so that the compiler knows that a spread of it loses
 * its getters.
 */
export const admissionAttributes = (
  context: RequestContext,
  scope: ResourceScope,
  operation: Operation,
  parts: WriteParts,
): RequestAttributes => new RequestAttributes(context, scope, operation, parts);

/** Always has all fields in the same order, so V8 uses one hidden class: every write makes two of these. */
class RequestAttributes implements AdmissionAttributes {
  readonly operation: Operation;
  readonly kind: AdmissionAttributes['kind'];
  readonly resource: AdmissionAttributes['resource'];
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
  readonly object: KubernetesObject | undefined;
  readonly oldObject: KubernetesObject | undefined;
  readonly dryRun: boolean;
  readonly user: AdmissionAttributes['user'];
  readonly warn: AdmissionAttributes['warn'];
  readonly annotate: AdmissionAttributes['annotate'];
  readonly options: KubernetesObject | undefined;
  readonly objects: NonNullable<AdmissionAttributes['objects']>;
  readonly deadline: number | undefined;
  readonly clock: AdmissionAttributes['clock'];
  readonly eventLoop: AdmissionAttributes['eventLoop'];
  reinvocation: AdmissionAttributes['reinvocation'];
  readonly #request: RequestContext['request'];

  constructor(context: RequestContext, scope: ResourceScope, operation: Operation, parts: WriteParts) {
    const { info } = context;
    const { resource } = scope;
    const name = parts.name ?? info.name;
    this.operation = operation;
    this.kind = parts.kind ?? scope.kind;
    this.resource = parts.resource ?? resource;
    this.subresource = parts.subresource ?? info.subresource;
    this.name = name;
    // For admission, the namespace of a Namespace is its own name.
    this.namespace = info.namespace || (resource.resource === 'namespaces' && resource.group === '' ? name : '');
    this.object = parts.object;
    this.oldObject = parts.oldObject;
    this.dryRun = parts.dryRun;
    this.user = context.user;
    this.warn = context.warn;
    this.annotate = context.annotate;
    this.options = parts.options ?? operationOptions(operation, context.query);
    this.objects = admissionObjects(scope, info.subresource);
    this.deadline = context.deadline;
    this.clock = scope.services.clock;
    this.eventLoop = context.eventLoop;
    this.reinvocation = undefined;
    this.#request = context.request;
  }

  /** A getter, because few plug-ins use it, and creating and aborting a signal costs as much as decoding a small object. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }
}

const plainOptions: Partial<Record<Operation, KubernetesObject>> = {
  CREATE: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  UPDATE: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
};

/** Returns the options of a write for admission: CreateOptions or UpdateOptions, also for a patch. */
export function operationOptions(operation: Operation, query: URLSearchParams): KubernetesObject | undefined {
  const plain = plainOptions[operation];
  if (plain === undefined || query.size === 0) return plain;
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager');
  const fieldValidation = query.get('fieldValidation');
  return {
    ...plain,
    ...(dryRun.length > 0 && { dryRun }),
    ...(fieldManager && { fieldManager }),
    ...(fieldValidation && { fieldValidation }),
  };
}

/** Removes duplicate owner references, with a warning. Returns the same object when there are none. */
export function withoutDuplicateOwners(
  object: KubernetesObject,
  warn: (text: string) => void,
  afterAdmission: boolean,
): KubernetesObject {
  const owners = object.metadata?.ownerReferences;
  if (!owners || owners.length < 2) return object;
  const kept = new Map<string, OwnerReference>();
  const duplicates: string[] = [];
  for (const owner of owners) {
    const identity = identityOf(owner);
    if (kept.has(identity)) duplicates.push(owner.uid);
    else kept.set(identity, owner);
  }
  if (duplicates.length === 0) return object;
  const uids = duplicates.join(', ');
  warn(
    afterAdmission
      ? `.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`
      : `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...kept.values()] } };
}

/** Returns a key that is equal for equal owner references. A Map of keys stays fast for thousands of them. */
const identityOf = ({ uid, name, kind, apiVersion, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify([uid, name, kind, apiVersion, controller, blockOwnerDeletion]);
