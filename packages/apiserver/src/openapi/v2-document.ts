import { writeJson } from '@coxswain/apimachinery/codec/json';
import type { DefinitionBuilder } from './definition-builder.ts';
import type { JsonObject } from './dialect.ts';
import { info, securityScheme, sortedRecord, withoutEmpty } from './document-parts.ts';
import type { V2Part } from './openapi-provider.ts';
import { methods, type Operation, type PathItem, responseDescriptions, splitParameters } from './operation.ts';
import type { Parameter } from './parameters.ts';
import { SharedParameters } from './shared-parameters.ts';
import { schemaOf } from './v3-document.ts';

/** Converts operations and their definitions to a part of an OpenAPI v2 document. */
export function v2Parts(items: readonly PathItem[], definitions: DefinitionBuilder): V2Part {
  const shared = new SharedParameters();
  const paths = sortedRecord(items.map((item) => [item.path, pathItem(item, definitions, shared)]));
  return { paths, definitions: definitions.definitions(), parameters: shared.parameters() };
}

/** A part with the JSON text of each entry, so that it need not be encoded again when another part changes. */
export type V2Texts = Readonly<Record<keyof V2Part, ReadonlyMap<string, string>>>;

export function v2Texts({ paths, definitions, parameters }: V2Part): V2Texts {
  const texts = (entries: JsonObject) =>
    new Map(Object.entries(entries).map(([key, value]) => [key, writeJson(value)]));
  return { paths: texts(paths), definitions: texts(definitions), parameters: texts(parameters) };
}

/** Joins parts to the text of a document. When two have an entry of the same name, the first one wins. */
export function v2Document(parts: readonly V2Texts[]): string {
  const merged = (field: keyof V2Part): string => {
    const entries = new Map(parts.toReversed().flatMap((part) => [...part[field]]));
    const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
    return `"${field}":{${sorted.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
  };
  const head = JSON.stringify({ swagger: '2.0', info }).slice(0, -1);
  const tail = JSON.stringify({
    securityDefinitions: { BearerToken: securityScheme },
    security: [{ BearerToken: [] }],
  }).slice(1);
  return [head, merged('paths'), merged('definitions'), merged('parameters'), tail].join(',');
}

function pathItem(item: PathItem, definitions: DefinitionBuilder, shared: SharedParameters): JsonObject {
  const { common, own } = splitParameters(item);
  const operations = methods.flatMap((method) => {
    const found = item.operations.find((each) => each.method === method);
    return found ? [[method, operation(found, own(found), definitions, shared)] as const] : [];
  });
  return withoutEmpty({
    ...Object.fromEntries(operations),
    parameters: common.map((each) => shared.share(parameter(each))),
  });
}

function operation(
  { tags, description, operationId, consumes, produces, body, responses, action, kind }: Operation,
  parameters: readonly Parameter[],
  definitions: DefinitionBuilder,
  shared: SharedParameters,
): JsonObject {
  const bodyParameter = body && {
    name: 'body',
    in: 'body',
    ...(body.required && { required: true }),
    schema: schemaOf(body.content, definitions),
  };
  const answers = [...responses].map(([code, content]) => [
    code,
    { description: responseDescriptions[code], schema: schemaOf(content, definitions) },
  ]);
  return withoutEmpty({
    description,
    consumes,
    produces,
    schemes: ['https'],
    tags,
    operationId,
    parameters: [...(bodyParameter ? [bodyParameter] : []), ...parameters.map(parameter)].map((each) =>
      shared.share(each),
    ),
    responses: { ...Object.fromEntries(answers), 401: { description: responseDescriptions[401] } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind && { group: kind.group, kind: kind.kind, version: kind.version },
  });
}

const parameter = ({ name, in: place, description, required, type }: Parameter): JsonObject => ({
  uniqueItems: true,
  type,
  ...(description && { description }),
  name,
  in: place,
  ...(required && { required }),
});
