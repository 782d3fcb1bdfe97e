import {
  type ErrorList,
  invalid,
  Path,
  setOwnEntry,
  validateFinalizerName,
  validateNamespaceName,
} from '@coxswain/apimachinery';
import type { Namespace } from '../../generated/core/v1.ts';
import { validateKubeFinalizerName } from '../../strategy/kube-finalizers.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

const nameLabel = 'kubernetes.io/metadata.name';
const finalizer = 'kubernetes';
const finalizersPath = Path.of('spec', 'finalizers');

/** Labels a namespace with its name. A namespace with generateName has no name here and gets the label later. */
function labelWithName({ metadata }: Namespace): void {
  if (!metadata.name) return;
  metadata.labels ??= {};
  setOwnEntry(metadata.labels, nameLabel, metadata.name);
}

export function setNamespaceDefaults(namespace: Namespace): void {
  labelWithName(namespace);
  namespace.status ??= {};
  namespace.status.phase ??= 'Active';
}

function validateNamespaceFinalizer(name: string, path: Path): ErrorList {
  return [...validateFinalizerName(name, path), ...validateKubeFinalizerName(name, path)];
}

/** Errors refer to the list on create and update, and to the item on updates of the finalize subresource. */
const validateFinalizers = ({ spec }: Namespace, pathOf: (index: number) => Path): ErrorList =>
  (spec?.finalizers ?? []).flatMap((name, i) => validateNamespaceFinalizer(name, pathOf(i)));

const validate = (namespace: Namespace): ErrorList => validateFinalizers(namespace, () => finalizersPath);

/** Validates the phase, which must be Terminating if and only if deletionTimestamp is set. */
function validateStatus({ metadata, status }: Namespace): ErrorList {
  const phase = status?.phase ?? '';
  const [expected, state] = metadata.deletionTimestamp ? ['Terminating', 'not empty'] : ['Active', 'empty'];
  if (phase === expected) return [];
  return [invalid(Path.of('status', 'Phase'), phase, `may only be '${expected}' if \`deletionTimestamp\` is ${state}`)];
}

export const namespaceStrategy: Strategy<Namespace> = {
  validateName: validateNamespaceName,
  revalidatesMetadata: true,
  prepareForCreate(namespace) {
    namespace.status = { phase: 'Active' };
    const finalizers = namespace.spec?.finalizers ?? [];
    if (!finalizers.includes(finalizer)) namespace.spec = { ...namespace.spec, finalizers: [...finalizers, finalizer] };
  },
  validate,
  validateUpdate: validate,
  canonicalize: labelWithName,
  subresources: {
    status: { owns: ['status'], validateUpdate: validateStatus },
    finalize: {
      owns: ['spec.finalizers'],
      clearedOnCreate: false,
      validateUpdate: (namespace) => validateFinalizers(namespace, (i) => finalizersPath.index(i)),
    },
  },
  selectableFields: {
    'status.phase': ({ status }) => status?.phase ?? '',
  },
  table: {
    columns: columns('Name', 'Status', 'Age'),
    row: ({ metadata, status }, context) => [
      metadata.name ?? '',
      status?.phase ?? '',
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
