import type { FlowSchema, PriorityLevelConfiguration } from '@coxswain/api/flowcontrol/v1';
import { jsonEquals, quote, timeFromDate } from '@coxswain/apimachinery';
import { ensureObjects, type ResourceRef, syncedLister, unlessSurpassed } from './ensure-objects.ts';
import { autoUpdateAnnotation, flowSchemas, mandatoryNames, priorityLevels } from './flow-control-objects.ts';
import { startPeriodicTask } from './periodic-task.ts';
import type { BootstrapContext, PostStartHook } from './post-start-hook.ts';

const group = 'flowcontrol.apiserver.k8s.io';
const levels: ResourceRef = { group, resource: 'prioritylevelconfigurations' };
const schemas: ResourceRef = { group, resource: 'flowschemas' };

/** As in upstream's managedFields. */
const producer = { manager: 'api-priority-and-fairness-config-producer-v1' };
const consumer = { manager: 'api-priority-and-fairness-config-consumer-v1', subresource: 'status' };

type FlowControlObject = FlowSchema | PriorityLevelConfiguration;

/**
 * Ensures the default flow schemas and priority levels. Users may change those that are not mandatory, and keep their
 * changes with the annotation `apf.kubernetes.io/autoupdate-spec: "false"`. Deleted ones are created again.
 */
export const flowControlObjects = (context: BootstrapContext): PostStartHook => ({
  name: 'priority-and-fairness-config-producer',
  start: (signal) =>
    startPeriodicTask(
      async () => {
        await Promise.all([
          ensureObjects(context, levels, priorityLevels, revise, producer),
          ensureObjects(context, schemas, flowSchemas, revise, producer),
          removeUnwanted(context, levels, priorityLevels),
          removeUnwanted(context, schemas, flowSchemas),
        ]);
      },
      {
        failure: 'Unable to initialize APF bootstrap configuration',
        intervalMs: 60_000,
        signal,
        clock: context.clock,
        logger: context.logger,
      },
    ),
});

/** Writes the `Dangling` condition of every flow schema: whether its priority level exists. */
export const flowSchemaStatus = (context: BootstrapContext): PostStartHook => ({
  name: 'priority-and-fairness-config-consumer',
  start: async (signal) => {
    const [schemaLister, levelLister] = await Promise.all([
      syncedLister<FlowSchema>(context, schemas),
      syncedLister<PriorityLevelConfiguration>(context, levels),
    ]);
    const update = async (schema: FlowSchema): Promise<void> => {
      const status = danglingStatus(schema, levelLister.get('', levelOf(schema)) !== undefined, context.now);
      if (status) await unlessSurpassed(() => context.client.apply(group, schemas.resource, status, consumer));
    };
    const inBackground = (changed: readonly FlowSchema[]): void => {
      void Promise.all(changed.map(update)).catch((error) =>
        context.logger.error('Unable to update the status of flow schemas', error),
      );
    };
    const unsubscribe = [
      schemaLister.onChange((schema) => schema && inBackground([schema])),
      levelLister.onChange((level, old) => {
        if (level && old) return;
        const name = (level ?? old)?.metadata.name;
        inBackground(schemaLister.list().filter((schema) => levelOf(schema) === name));
      }),
    ];
    signal.addEventListener('abort', () => {
      for (const stop of unsubscribe) stop();
    });
    await startPeriodicTask(
      async () => {
        await Promise.all(schemaLister.list().map(update));
      },
      {
        failure: 'Unable to update the status of flow schemas',
        intervalMs: 60_000,
        signal,
        clock: context.clock,
        logger: context.logger,
      },
    );
  },
});

const levelOf = ({ spec }: FlowSchema): string => spec?.priorityLevelConfiguration.name ?? '';

/** The status to apply; undefined when the flow schema has it already. */
function danglingStatus(schema: FlowSchema, isFound: boolean, now: () => Date): FlowSchema | undefined {
  const level = `This FlowSchema references the PriorityLevelConfiguration object named ${quote(levelOf(schema))}`;
  const wanted = isFound
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${level} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${level} but there is no such object` };
  const current = schema.status?.conditions?.find(({ type }) => type === wanted.type);
  if (current?.status === wanted.status && current.reason === wanted.reason && current.message === wanted.message)
    return undefined;
  return {
    kind: 'FlowSchema',
    apiVersion: `${group}/v1`,
    metadata: { name: schema.metadata.name },
    status: { conditions: [{ ...wanted, lastTransitionTime: timeFromDate(now()) }] },
  };
}

/** The object as it should be; undefined when it already is. */
function revise<T extends FlowControlObject>(current: T, wanted: T): T | undefined {
  const name = wanted.metadata.name ?? '';
  const annotated = parseBool(current.metadata.annotations?.[autoUpdateAnnotation]);
  // Without the annotation, a spec at generation 1 was not changed by users.
  const isOurs = mandatoryNames.has(name) || (annotated ?? current.metadata.generation === 1);
  const isOtherSpec = isOurs && !isSameSpec(current, wanted);
  if (annotated === isOurs && !isOtherSpec) return undefined;
  const annotations = { ...current.metadata.annotations, [autoUpdateAnnotation]: String(isOurs) };
  return { ...current, metadata: { ...current.metadata, annotations }, ...(isOtherSpec && { spec: wanted.spec }) };
}

/** Users may change the shares and lending of the exempt level. */
function isSameSpec(current: FlowControlObject, wanted: FlowControlObject): boolean {
  const { spec } = current;
  if (wanted.kind === 'PriorityLevelConfiguration' && wanted.metadata.name === 'exempt' && spec && 'type' in spec)
    return spec.type === 'Exempt' && spec.exempt !== undefined && spec.limited === undefined;
  return jsonEquals(current.spec, wanted.spec, { undefinedIsAbsent: true });
}

/** Removes auto-updated objects that are not among the defaults, which an older version created. */
async function removeUnwanted(
  context: BootstrapContext,
  { group, resource }: ResourceRef,
  wanted: readonly FlowControlObject[],
): Promise<void> {
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const lister = await syncedLister<FlowControlObject>(context, { group, resource });
  for (const { metadata } of lister.list()) {
    if (names.has(metadata.name) || parseBool(metadata.annotations?.[autoUpdateAnnotation]) !== true) continue;
    const { name = '', resourceVersion } = metadata;
    await unlessSurpassed(() => context.client.delete(group, resource, '', name, { resourceVersion }));
  }
}

/** Parses a boolean like Go's strconv.ParseBool; undefined for other text. */
function parseBool(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(?:0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}
