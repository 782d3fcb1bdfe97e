import { prepareForCreate, validateCreateInSteps } from '@coxswain/api';
import {
  GroupKind,
  type GroupResource,
  isAlreadyExists,
  type KubernetesObject,
  newAlreadyExists,
  newGenerateNameConflict,
  newInvalid,
  type ObjectMeta,
} from '@coxswain/apimachinery';
import { timeFromDate } from '@coxswain/apimachinery/time';
import { inTurns } from '../turns/turns.ts';
import { clientsMistake } from './clients-mistake.ts';
import { assertObjectSize } from './object-size.ts';
import type { WriteContext } from './resource-hooks.ts';
import type { ResourceRegistry, ValidateWrite } from './resource-registry.ts';
import { fromStoreError } from './store-error.ts';
import type { StoredObject } from './stored-object.ts';

/** The number of attempts with generated names. A given name is tried once. */
const generatedNames = 8;
/** The longest `generateName` that is used in full: five random characters follow it. */
const longestPrefix = 63 - 5;

export async function createObject(
  registry: ResourceRegistry,
  object: KubernetesObject,
  context: WriteContext,
  validate: ValidateWrite | undefined,
): Promise<StoredObject> {
  const { generateName, name } = object.metadata ?? {};
  const generated = Boolean(generateName) && !name;
  const { groupResource } = registry.definition;
  for (let attempt = 1; ; attempt++) {
    try {
      return await createOnce(registry, object, context, validate, generated);
    } catch (error) {
      if (!generated || !isAlreadyExists(error)) throw error;
      if (attempt === generatedNames) throw await nameConflict(groupResource, error);
    }
  }
}

async function nameConflict(resource: GroupResource, cause: unknown): Promise<Error> {
  const name = (cause as { details?: { name?: string } }).details?.name ?? '';
  return newGenerateNameConflict(resource, name, 1);
}

async function createOnce(
  registry: ResourceRegistry,
  given: KubernetesObject,
  context: WriteContext,
  validate: ValidateWrite | undefined,
  generated: boolean,
): Promise<StoredObject> {
  const { definition, random } = registry;
  const object = {
    ...given,
    metadata: withSystemFields(given.metadata ?? {}, registry, generated ? random.nameSuffix() : undefined),
  };
  const ready = await prepareNew(registry, object, context, validate);
  let isStored = false;
  try {
    if (context.turns) await context.turns.next();
    const stored = await registry.encode(ready.object);
    assertObjectSize(stored);
    if (context.turns) await context.turns.next();
    const { name = '', namespace = '' } = ready.object.metadata ?? {};
    const key = registry.keys.key(namespace, name);
    if (context.dryRun) {
      if (registry.current(key)) throw newAlreadyExists(definition.groupResource, name);
      await ready.rollback();
      return unstored(registry, ready.object);
    }
    assertNoVersion(ready.object);
    const result = await registry.store.put(key, stored, {
      expected: 0,
      note: ready.object,
      ...(definition.ttlSeconds !== undefined && { ttlSeconds: definition.ttlSeconds }),
    });
    if (!result.ok) throw newAlreadyExists(definition.groupResource, name);
    isStored = true;
    await ready.commit();
    return await registry.written(key, stored, result.revision, ready.object);
  } catch (error) {
    // The resources of a stored object stay reserved, even if it cannot be shown to the client.
    if (!isStored) await ready.rollback();
    throw fromStoreError(error, definition.groupResource, 'create');
  }
}

/** Returns the object of a dry run as it would have been stored, without a resourceVersion. */
export const unstored = ({ codec }: ResourceRegistry, object: KubernetesObject): StoredObject =>
  codec.stored(codec.withoutRevision(codec.encode(object)), object);

function assertNoVersion({ metadata }: KubernetesObject): void {
  const { resourceVersion } = metadata ?? {};
  if (resourceVersion && /^[1-9]\d*$/.test(resourceVersion))
    throw clientsMistake('resourceVersion should not be set on objects to be created');
}

export interface Prepared {
  readonly object: KubernetesObject;
  commit(): Promise<void> | void;
  rollback(): Promise<void> | void;
}

/** Does everything before a new object is stored: reservation of resources, strategy, validation and validating admission. */
export async function prepareNew(
  registry: ResourceRegistry,
  given: KubernetesObject,
  context: WriteContext,
  validate: ValidateWrite | undefined,
): Promise<Prepared> {
  const { definition } = registry;
  const { strategy, hooks, hub } = definition;
  const invalid = (errors: Parameters<typeof newInvalid>[2], object: KubernetesObject): Error =>
    newInvalid(GroupKind.of(hub.group, object.kind ?? hub.kind), object.metadata?.name ?? '', errors);
  const problems = strategy.begin?.(given, undefined, context) ?? [];
  if (problems.length > 0) throw invalid(problems, given);
  const reservation = await hooks.beginCreate?.(given, context);
  try {
    const { turns } = context;
    if (turns) await turns.next();
    const prepared = prepareForCreate(strategy, given, context);
    if (turns) await turns.next();
    const found = await inTurns(turns, validateCreateInSteps(strategy, prepared, context));
    if (turns) await turns.next();
    const further = strategy.validateRules?.(prepared, undefined, found, context);
    const errors = further ? [...found, ...(await further)] : found;
    if (errors.length > 0) throw invalid(errors, prepared);
    for (const warning of strategy.warningsOnCreate?.(prepared, context) ?? []) context.warn?.(warning);
    if (turns) await turns.next();
    strategy.canonicalize?.(prepared);
    const object = definition.storedForm?.(prepared, true) ?? prepared;
    if (turns) await turns.next();
    await validate?.(object, undefined);
    return { object, commit: () => reservation?.commit(), rollback: () => reservation?.rollback() };
  } catch (error) {
    await reservation?.rollback();
    throw error;
  }
}

function withSystemFields(metadata: ObjectMeta, registry: ResourceRegistry, suffix: string | undefined): ObjectMeta {
  const system = { uid: registry.random.uuid(), creationTimestamp: timeFromDate(registry.now()) };
  if (suffix === undefined && isFirst('name', metadata) && !('generateName' in metadata))
    return { ...metadata, ...system };
  const { name, generateName = '', ...rest } = metadata;
  const own = suffix === undefined ? name : generateName.slice(0, longestPrefix) + suffix;
  return {
    ...(own !== undefined && { name: own }),
    ...(generateName && { generateName }),
    ...rest,
    ...system,
  };
}

function isFirst(name: string, object: object): boolean {
  for (const key in object) return key === name;
  return false;
}
