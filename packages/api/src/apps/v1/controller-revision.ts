import {
  type ErrorList,
  isJsonObject,
  nameIsDnsSubdomain,
  Path,
  required,
  validateImmutableField,
  validateNonnegativeField,
  validateObjectMeta,
} from '@coxswain/apimachinery';
import type { ControllerRevision } from '../../generated/apps/v1.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { controllerRevisionTable } from './tables.ts';

const dataPath = Path.of('data');

const validateRevision = ({ revision }: ControllerRevision): ErrorList =>
  validateNonnegativeField(revision, Path.of('revision'));

function validateData(data: unknown): ErrorList {
  if (isJsonObject(data)) return [];
  const isMissing = data === undefined || data === null;
  return [required(dataPath, isMissing ? 'data is mandatory' : 'data must be a valid JSON object')];
}

export const controllerRevisionStrategy: Strategy<ControllerRevision> = {
  validate: (revision) => [...validateRevision(revision), ...validateData(revision.data)],
  validateUpdate: (revision, old) => [
    ...validateObjectMeta(revision.metadata, true, nameIsDnsSubdomain, Path.of('metadata')),
    ...validateRevision(revision),
    ...validateImmutableField(revision.data, old.data, dataPath),
  ],
  table: controllerRevisionTable,
};
