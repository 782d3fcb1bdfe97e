import { compileNormalizer, isJsonObject, type Normalizer, parseJson, type StructSchema } from '@coxswain/apimachinery';
import { TypeTables } from '../../catalogue/hydrate.ts';
import { packages } from '../../generated/packages.ts';
import { metricSources, metricStatuses, type SourceTable } from './metric-sources.ts';

/*
 * The annotations contain JSON that upstream decodes with Go's decoder: into types that are not part of any API, with
 * case-insensitive field names.
 */

/**
 * Returns the type of a field in the notation of type tables, derived from its v2 name. A field with `!` is always
 * written, so it is not a pointer.
 */
function typeOf(v2Field: string): string {
  const name = v2Field.replace(/^.*\.|!$/g, '');
  const scalars = {
    name: 'string',
    container: 'string',
    averageUtilization: '*int32',
    selector: '*meta.v1.LabelSelector',
  };
  if (name === 'describedObject') return 'autoscaling.v2.CrossVersionObjectReference';
  if (name in scalars) return scalars[name as keyof typeof scalars];
  return v2Field.endsWith('!') ? 'quantity' : '*quantity';
}

function tableOf(kind: string, sources: SourceTable): string {
  const entries = Object.entries(sources);
  const typeName = (source: string) => `${kind}${source}`;
  const fields = (source: object) => Object.entries(source).map(([name, field]) => ` ${name} 0 ? ${typeOf(field)}`);
  return [
    kind,
    ' type 0 - string',
    ...entries.map(([source]) => ` ${source} 0 ? *.${typeName(source)}`),
    ...entries.flatMap(([source, table]) => [typeName(source), ...fields(table)]),
  ].join('\n');
}

/** Parses JSON as a list of, or one of, a type's values; undefined when it is invalid. */
type AnnotationReader = (text: string) => unknown;

function reader(schema: StructSchema): AnnotationReader {
  const normalize: Normalizer = compileNormalizer(schema);
  const read = (value: unknown, literals: boolean): unknown =>
    normalize(value === null ? {} : withNamesOf(schema, value), { literals }).object;
  return (text) => {
    try {
      const { value, literals } = parseJson(text, true);
      return Array.isArray(value) ? value.map((item) => read(item, literals)) : read(value, literals);
    } catch {
      return undefined;
    }
  };
}

/** Returns the value with the field names of the type, matched case-insensitively at all levels. */
function withNamesOf(schema: StructSchema, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const named = new Map<string, unknown>();
  for (const [key, part] of Object.entries(value)) {
    const name = [...schema.fields.keys()].find((field) => field.toLowerCase() === key.toLowerCase());
    const inner = name === undefined ? undefined : schema.fields.get(name)!.schema;
    if (name === undefined || !inner) continue;
    if (inner.kind === 'struct') named.set(name, withNamesOf(inner, part));
    else if (inner.kind === 'list' && inner.items.kind === 'struct' && Array.isArray(part)) {
      const { items } = inner;
      named.set(
        name,
        part.map((item) => withNamesOf(items, item)),
      );
    } else named.set(name, part);
  }
  return Object.fromEntries(named);
}

export interface AnnotationReaders {
  readonly metrics: AnnotationReader;
  readonly currentMetrics: AnnotationReader;
  readonly conditions: AnnotationReader;
  readonly behavior: AnnotationReader;
}

let readers: AnnotationReaders | undefined;

/** Returns the readers, compiled on first use: most programs never need them. */
export function annotationReaders(): AnnotationReaders {
  if (readers) return readers;
  const table = `${tableOf('MetricSpec', metricSources)}\n${tableOf('MetricStatus', metricStatuses)}`;
  const tables = new TypeTables([
    ...packages.map(({ name, table: own }) => [name, own] as const),
    ['annotations', table],
  ]);
  readers = {
    metrics: reader(tables.struct('annotations.MetricSpec')),
    currentMetrics: reader(tables.struct('annotations.MetricStatus')),
    conditions: reader(tables.struct('autoscaling.v2.HorizontalPodAutoscalerCondition')),
    // Upstream writes its internal type here, whose names differ from those of v2 only in case.
    behavior: reader(tables.struct('autoscaling.v2.HorizontalPodAutoscalerBehavior')),
  };
  return readers;
}
