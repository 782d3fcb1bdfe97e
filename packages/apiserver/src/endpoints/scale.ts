import {
  applyScale,
  Catalogue,
  type ScalableWorkload,
  scaleFromReplicationController,
  scaleFromWorkload,
  strategyFor,
  type TablePrinter,
} from '@coxswain/api';
import type { Scale } from '@coxswain/api/autoscaling/v1';
import type { ReplicationController } from '@coxswain/api/core/v1';
import {
  ApiError,
  FieldManager,
  type FieldPath,
  fieldPath,
  GroupVersionKind,
  type KubernetesObject,
  managerOrUserAgent,
  newBadRequest,
  newConflict,
  newInvalid,
  newNotFound,
  ScaleHandler,
  type StructSchema,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { ApiResponse } from '@coxswain/component-base/http';
import { headerOf } from '@coxswain/component-base/http';
import type { RequestContext } from '../http/request-context.ts';
import type { ScalePaths } from '../registry/resource-definition.ts';
import { inRequestNamespace } from './create.ts';
import { scaledCustomResource, scaleOfCustomResource, shownScale } from './custom-scale.ts';
import { readObject } from './decode-body.ts';
import { isDryRun, patchOptions, updateOptions, type WriteOptions } from './options.ts';
import { patcherFor, requestPatchType } from './patch.ts';
import { negotiate, type Representation } from './representation.ts';
import { maxSmallBodyBytes, readBody } from './request-body.ts';
import { ResourceScope } from './scope.ts';
import { admitChange, assertName, validateChange } from './update.ts';
import { writeContext } from './write-context.ts';
import { encodedResponse, presented } from './write-response.ts';

const scaleKind = GroupVersionKind.of('autoscaling', 'v1', 'Scale');

/** The scope of a `scale` subresource: presents the replicas of a workload as a Scale object. */
class ScaleScope extends ResourceScope {
  readonly #parent: ResourceScope;
  readonly #manager: FieldManager;

  constructor(parent: ResourceScope) {
    super(parent.resource.groupVersion, parent.info, parent.registry, parent.services, scaleKind);
    this.#parent = parent;
    this.#manager = new FieldManager({
      apiVersion: scaleKind.apiVersion,
      kind: scaleKind.kind,
      subresource: 'scale',
      versions: {
        schemaFor: (apiVersion) => (apiVersion === scaleKind.apiVersion ? this.schema : undefined),
        convert: (object) => object,
      },
      now: parent.services.now,
    });
  }

  override get schema(): StructSchema | undefined {
    return Catalogue.builtIn().kind(scaleKind)?.schema;
  }

  override get table(): TablePrinter<KubernetesObject> | undefined {
    return strategyFor(scaleKind)?.table;
  }

  override get custom(): undefined {
    return undefined;
  }

  override toVersion(object: KubernetesObject): KubernetesObject {
    return object;
  }

  override toHub(object: KubernetesObject): KubernetesObject {
    return object;
  }

  override fieldManager(): FieldManager {
    return this.#manager;
  }

  get #paths(): ScalePaths | undefined {
    return this.#parent.custom?.scale;
  }

  /** Whether the Scale itself is validated. Those of custom resources are validated only as part of the object. */
  get isJudged(): boolean {
    return !this.#paths;
  }

  scaleOf(workload: KubernetesObject): Scale {
    const paths = this.#paths;
    const scale = paths
      ? scaleOfCustomResource(workload, paths)
      : workload.kind === 'ReplicationController'
        ? scaleFromReplicationController(workload as ReplicationController)
        : scaleFromWorkload(workload as ScalableWorkload);
    const managedFields = this.#handler(workload).toSubresource();
    return managedFields ? { ...scale, metadata: { ...scale.metadata, managedFields } } : scale;
  }

  /** Returns the workload with the replicas and managedFields of the Scale. */
  scaled(workload: KubernetesObject, scale: Scale): KubernetesObject {
    const paths = this.#paths;
    const changed = paths
      ? scaledCustomResource(workload, scale, paths)
      : applyScale(workload as ScalableWorkload, scale);
    const managedFields = this.#handler(workload).toParent(scale.metadata.managedFields);
    const { managedFields: _, ...metadata } = changed.metadata ?? {};
    return { ...changed, metadata: { ...metadata, ...(managedFields && { managedFields }) } };
  }

  /** Returns the Scale as clients see it. `found` is true when it was read, false when it was written. */
  shown(workload: KubernetesObject, found: boolean): Scale {
    const scale = this.scaleOf(workload);
    const paths = this.#paths;
    return paths ? shownScale(scale, paths, found) : scale;
  }

  #handler({ metadata }: KubernetesObject): ScaleHandler {
    const { apiVersion } = this.#parent.kind;
    const custom = this.#paths?.replicasByVersion ?? [[apiVersion, ['spec', 'replicas']] as const];
    const paths = new Map<string, FieldPath | null>();
    for (const [version, path] of custom) paths.set(version, path && fieldPath(...path));
    return new ScaleHandler(metadata?.managedFields, apiVersion, paths);
  }
}

export async function getScale(context: RequestContext, parent: ResourceScope): Promise<ApiResponse> {
  const { info, query } = context;
  const representation = negotiate(context, parent.services.codecs);
  const stored = await parent.registry.get(info.namespace, info.name, query.get('resourceVersion') ?? '');
  const scope = new ScaleScope(parent);
  return respond(scope, parent.registry.codec.decode(stored.line), representation, true);
}

export async function updateScale(context: RequestContext, parent: ResourceScope): Promise<ApiResponse> {
  const options = updateOptions(context.query);
  const scope = new ScaleScope(parent);
  const { fieldValidation } = options;
  const body = await readObject(
    context,
    { kind: scaleKind, fieldValidation, maxBytes: maxSmallBodyBytes },
    parent.services,
  );
  const given = inRequestNamespace(body, context, scope);
  assertName(given, context.info.name);
  const manager = managerOrUserAgent(options.fieldManager, headerOf(context.request, 'user-agent'));
  return write(context, parent, scope, options, (current) =>
    scope.fieldManager().updateNoErrors(current, given, manager),
  );
}

export async function patchScale(context: RequestContext, parent: ResourceScope): Promise<ApiResponse> {
  const patchType = requestPatchType(context, parent);
  const body = await readBody(context, maxSmallBodyBytes);
  const options = patchOptions(context.query, patchType);
  const scope = new ScaleScope(parent);
  const patch = await patcherFor(patchType, body, context, scope, options);
  return write(context, parent, scope, options, async (current) => {
    const patched = inRequestNamespace(await patch(current), context, scope);
    assertName(patched, context.info.name);
    return patched;
  });
}

async function write(
  context: RequestContext,
  parent: ResourceScope,
  scope: ScaleScope,
  options: WriteOptions,
  change: (current: KubernetesObject) => KubernetesObject | Promise<KubernetesObject>,
): Promise<ApiResponse> {
  const { registry, services, groupResource } = parent;
  const { namespace, name } = context.info;
  const representation = negotiate(context, services.codecs);
  const dryRun = isDryRun(options);
  const { stored } = await registry.update({
    namespace,
    name,
    context: writeContext(context, parent, dryRun),
    change: async (current) => {
      if (!current) throw newNotFound(groupResource, name);
      const old = scope.scaleOf(current);
      const scale = await admitChange(context, scope, await change(old), old, dryRun);
      if (!isScale(scale)) throw newBadRequest(`expected input object type to be Scale, but ${scale.kind}`);
      const { validate } = (scope.isJudged && strategyFor(scaleKind)) || {};
      const errors = validate?.(scale, writeContext(context, parent, dryRun)) ?? [];
      if (errors.length > 0) throw newInvalid(scaleKind.groupKind, name, errors);
      const { uid } = scale.metadata;
      if (uid && uid !== current.metadata?.uid) {
        const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata?.uid}`;
        throw newConflict(groupResource, name, why);
      }
      return scope.scaled(current, scale);
    },
    validate: async (object, old) => {
      if (old)
        await validateChange(
          context,
          scope,
          dryRun,
        )(withoutManagers(scope.scaleOf(object)), withoutManagers(scope.scaleOf(old)));
    },
  });
  return respond(scope, registry.codec.decode(stored.line), representation, false);
}

/** Removes managedFields, which validating admission of a Scale does not see. */
const withoutManagers = (scale: Scale): Scale => {
  const { managedFields: _, ...metadata } = scale.metadata;
  return { ...scale, metadata };
};

const isScale = (object: KubernetesObject): object is Scale => object.kind === 'Scale' && object.metadata !== undefined;

function respond(
  scope: ScaleScope,
  workload: KubernetesObject,
  representation: Representation,
  found: boolean,
): ApiResponse {
  let scale: Scale;
  try {
    scale = scope.shown(workload, found);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw newBadRequest(messageOf(error));
  }
  // Clients find managedFields on the workload itself.
  const { managedFields: _, ...metadata } = scale.metadata;
  return encodedResponse(200, presented(scope, { ...scale, metadata }, representation), representation);
}
