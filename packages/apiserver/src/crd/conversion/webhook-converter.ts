import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import {
  ApiError,
  cloneJson,
  type ErrorList,
  GroupVersionKind,
  isJsonObject,
  type KubernetesObject,
  ownEntry,
  Path,
  quote,
  toStatus,
  validateAnnotations,
  validateLabels,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { WebhookClient, WebhookClientConfig } from '../../webhook/webhook-client.ts';
import type { ObjectConverter } from './object-converter.ts';

export interface WebhookConverterOptions {
  readonly client: WebhookClient;
  readonly uuid: () => string;
}

const timeoutMs = 30_000;
/** Maximum number of objects in one review. */
const batchSize = 100;
const reviewVersions: ReadonlySet<string> = new Set(['v1', 'v1beta1']);

/** The strategy `Webhook`: calls the conversion webhook, and validates its response. */
export function webhookConverter(
  definition: CustomResourceDefinition,
  options: WebhookConverterOptions,
): ObjectConverter {
  const { clientConfig = {}, conversionReviewVersions } = definition.spec.conversion?.webhook ?? {};
  const name = `conversion_webhook_for_${definition.metadata.name}`;
  const reviewVersion = conversionReviewVersions?.find((version) => reviewVersions.has(version));

  const convertBatch = async (
    objects: readonly KubernetesObject[],
    apiVersion: string,
  ): Promise<KubernetesObject[]> => {
    const [first] = objects;
    const failed = (problem: string): ApiError =>
      conversionError(`conversion webhook for ${GroupVersionKind.fromObject(first!)} ${problem}`);
    if (!reviewVersion) throw conversionError('no supported conversion review versions');
    const uid = options.uuid();
    const review = {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${reviewVersion}`,
      request: { uid, desiredAPIVersion: apiVersion, objects },
    };
    let answer: unknown;
    try {
      answer = await options.client.call(clientConfigOf(clientConfig), review, { timeoutMs, name });
    } catch (error) {
      throw failed(`failed: ${messageOf(error)}`);
    }
    const converted = orFail(
      () => convertedObjects(answer, uid, reviewVersion),
      (why) => failed(`failed: ${why}`),
    );
    if (converted.length !== objects.length)
      throw failed(`returned ${converted.length} objects, expected ${objects.length}`);
    return objects.map((original, i) => {
      const invalid = objects.length === 1 ? 'invalid object at index 0' : `invalid converted object at index ${i}`;
      const object = converted[i];
      if (!isJsonObject(object)) throw failed(`returned ${invalid}: no object`);
      assertType(object, original, apiVersion, (why) => failed(`returned ${invalid}: ${why}`));
      const whole = objects.length === 1 ? 'invalid object' : invalid;
      assertSameObject(object, original, (why) => failed(`returned ${whole}: ${why}`));
      const where = objects.length === 1 ? 'invalid metadata' : `invalid metadata in object at index ${i}`;
      return orFail(
        () => withOwnMetadata(object, original),
        (why) => failed(`returned ${where}: ${why}`),
      );
    });
  };

  return {
    async convert(objects, apiVersion) {
      const result = [...objects];
      const others = result.flatMap((object, i) => (object.apiVersion === apiVersion ? [] : [i]));
      for (let start = 0; start < others.length; start += batchSize) {
        const places = others.slice(start, start + batchSize);
        const converted = await convertBatch(
          places.map((place) => result[place]!),
          apiVersion,
        );
        for (const [i, place] of places.entries()) result[place] = converted[i]!;
      }
      return result;
    },
  };
}

/** A 500 with only the message, as in upstream's response. */
const conversionError = (message: string): ApiError => new ApiError(toStatus(new Error(message)));

function orFail<T>(run: () => T, failed: (why: string) => Error): T {
  try {
    return run();
  } catch (error) {
    throw failed(messageOf(error));
  }
}

function clientConfigOf({ url, service, caBundle }: Partial<WebhookClientConfig>): WebhookClientConfig {
  const hasBundle = caBundle && Buffer.from(caBundle, 'base64').toString().trim() !== '';
  return { ...(url && { url }), ...(service && { service }), ...(hasBundle && { caBundle }) };
}

function convertedObjects(answer: unknown, uid: string, version: string): readonly unknown[] {
  if (!isJsonObject(answer)) throw new Error('no response provided');
  const { apiVersion = '', kind = '' } = answer;
  if (kind !== 'ConversionReview')
    throw new Error(
      `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  if (version === 'v1' && apiVersion !== 'apiextensions.k8s.io/v1') {
    const got = GroupVersionKind.fromObject({ apiVersion: String(apiVersion), kind });
    throw new Error(`expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${got}`);
  }
  const { response } = answer;
  if (!isJsonObject(response)) throw new Error('no response provided');
  if (version === 'v1' && response.uid !== uid)
    throw new Error(`expected response.uid=${quote(uid)}, got ${quote(String(response.uid ?? ''))}`);
  const { status = '', message = '' } = isJsonObject(response.result) ? response.result : {};
  if (status !== 'Success')
    throw new Error(message ? String(message) : `response.result.status was '${status}', not 'Success'`);
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

function assertType(
  object: KubernetesObject,
  original: KubernetesObject,
  apiVersion: string,
  failed: (why: string) => Error,
): void {
  if (object.apiVersion !== apiVersion)
    throw failed(`invalid groupVersion (expected ${apiVersion}, received ${object.apiVersion ?? ''})`);
  if (object.kind !== original.kind)
    throw failed(`invalid kind (expected ${original.kind}, received ${object.kind ?? ''})`);
}

function assertSameObject(
  { metadata = {} }: KubernetesObject,
  { metadata: before = {} }: KubernetesObject,
  failed: (why: string) => Error,
): void {
  for (const [field, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const [expected = '', actual = ''] = [before[field], metadata?.[field]];
    if (expected !== actual) throw failed(`must have the same ${name}: ${expected} != ${actual}`);
  }
}

/** The metadata that a converter may change. */
const ownFields: Readonly<Record<'labels' | 'annotations', (value: Record<string, string>) => ErrorList>> = {
  labels: (labels) => validateLabels(labels, Path.of('metadata', 'labels')),
  annotations: (annotations) => validateAnnotations(annotations, Path.of('metadata', 'annotation')),
};

/** The converted object with the original metadata, but its own labels and annotations. Throws when they are invalid. */
function withOwnMetadata(converted: Record<string, unknown>, original: KubernetesObject): KubernetesObject {
  const given = ownEntry(converted, 'metadata');
  if (given === undefined) throw new Error('missing metadata in converted object');
  if (!isJsonObject(given)) throw new Error(`invalid metadata of type ${goTypeOf(given)} in converted object`);
  const metadata: Record<string, unknown> = cloneJson({ ...original.metadata });
  for (const field of ['labels', 'annotations'] as const) {
    const value = ownEntry(given, field);
    delete metadata[field];
    if (value === undefined || value === null) continue;
    metadata[field] = textsOf(value, field);
  }
  return { ...converted, metadata };
}

function textsOf(value: unknown, field: 'labels' | 'annotations'): Record<string, string> {
  if (!isJsonObject(value)) throw new Error(`invalid metadata.${field} of type ${goTypeOf(value)} in converted object`);
  const texts: Record<string, string> = {};
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string')
      throw new Error(`metadata.${field}[${key}] must be a string, but is ${goTypeOf(text)} in converted object`);
    Object.defineProperty(texts, key, { value: text, enumerable: true, configurable: true, writable: true });
  }
  const errors = ownFields[field](texts);
  if (errors.length > 0) {
    const messages = [...new Set(errors.map(String))];
    throw new Error(messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`);
  }
  return texts;
}

function goTypeOf(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'int64' : 'string';
}
