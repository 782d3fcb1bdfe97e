import { type Library, overload } from '../checking/function-declaration.ts';
import { EntryMap } from '../values/collections.ts';
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, STRING, typeParam } from '../values/types.ts';
import {
  ArrayList,
  CelError,
  CelList,
  CelMap,
  type CelValue,
  Duration,
  Optional,
  Timestamp,
  Uint,
} from '../values/values.ts';
import { BIND_MACRO, OPTIONAL_MACROS, TWO_VARIABLE_MACROS } from './standard-macros.ts';

const V = typeParam('V');
const K = typeParam('K');
const OPTIONAL_V = optionalOf(V);
const LIST_V = listOf(V);
const MAP_KV = mapOf(K, V);

function isZeroValue(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.seconds === -62_135_596_800 && value.nanos === 0;
  return value instanceof Optional && value.value === undefined;
}

/**
 * Never called: the planner replaces calls of these functions by nodes of their own, because they do not evaluate all
 * their arguments.
 */
function evaluatedByPlan(): never {
  throw new CelError('no such overload');
}

function unwrap(list: CelList): CelValue {
  const values: CelValue[] = [];
  for (const element of list) {
    if (!(element instanceof Optional)) throw new CelError('value is not optional');
    if (element.value !== undefined) values.push(element.value);
  }
  return new ArrayList(values);
}

const atEnd = (list: CelList, index: number) => (list.size === 0 ? Optional.NONE : Optional.of(list.at(index)));

/** Optional values: `a.?b`, `optional.of`, `orValue`, `optMap`… */
export const OPTIONAL_LIBRARY: Library = {
  name: 'optional',
  macros: OPTIONAL_MACROS,
  types: [OPTIONAL_V],
  functions: [
    {
      name: 'optional.of',
      overloads: [
        overload({
          id: 'optional_of',
          isMember: false,
          parameters: [V],
          result: OPTIONAL_V,
          call: (value) => Optional.of(value),
        }),
      ],
    },
    {
      name: 'optional.ofNonZeroValue',
      overloads: [
        overload({
          id: 'optional_ofNonZeroValue',
          isMember: false,
          parameters: [V],
          result: OPTIONAL_V,
          call: (value) => (isZeroValue(value) ? Optional.NONE : Optional.of(value)),
        }),
      ],
    },
    {
      name: 'optional.none',
      overloads: [
        overload({
          id: 'optional_none',
          isMember: false,
          parameters: [],
          result: OPTIONAL_V,
          call: () => Optional.NONE,
        }),
      ],
    },
    {
      name: 'value',
      overloads: [
        overload({
          id: 'optional_value',
          isMember: true,
          parameters: [OPTIONAL_V],
          result: V,
          call: ({ value }) => {
            if (value === undefined) throw new CelError('optional.none() dereference');
            return value;
          },
        }),
      ],
    },
    {
      name: 'hasValue',
      overloads: [
        overload({
          id: 'optional_hasValue',
          isMember: true,
          parameters: [OPTIONAL_V],
          result: BOOL,
          call: ({ value }) => value !== undefined,
        }),
      ],
    },
    {
      name: 'or',
      overloads: [
        overload({
          id: 'optional_or_optional',
          isMember: true,
          parameters: [OPTIONAL_V, OPTIONAL_V],
          result: OPTIONAL_V,
          call: evaluatedByPlan,
        }),
      ],
    },
    {
      name: 'orValue',
      overloads: [
        overload({
          id: 'optional_orValue_value',
          isMember: true,
          parameters: [OPTIONAL_V, V],
          result: V,
          call: evaluatedByPlan,
        }),
      ],
    },
    {
      name: '_?._',
      overloads: [
        overload({
          id: 'select_optional_field',
          isMember: false,
          parameters: [DYN, STRING],
          result: OPTIONAL_V,
          call: evaluatedByPlan,
        }),
      ],
    },
    {
      name: '_[?_]',
      overloads: [
        overload({
          id: 'list_optindex_optional_int',
          isMember: false,
          parameters: [LIST_V, INT],
          result: OPTIONAL_V,
          call: evaluatedByPlan,
        }),
        overload({
          id: 'optional_list_optindex_optional_int',
          isMember: false,
          parameters: [optionalOf(LIST_V), INT],
          result: OPTIONAL_V,
          call: evaluatedByPlan,
        }),
        overload({
          id: 'map_optindex_optional_value',
          isMember: false,
          parameters: [MAP_KV, K],
          result: OPTIONAL_V,
          call: evaluatedByPlan,
        }),
        overload({
          id: 'optional_map_optindex_optional_value',
          isMember: false,
          parameters: [optionalOf(MAP_KV), K],
          result: OPTIONAL_V,
          call: evaluatedByPlan,
        }),
      ],
    },
    {
      name: '_[_]',
      overloads: [
        overload({
          id: 'optional_list_index_int',
          isMember: false,
          parameters: [optionalOf(LIST_V), INT],
          result: OPTIONAL_V,
          call: evaluatedByPlan,
        }),
        overload({
          id: 'optional_map_index_value',
          isMember: false,
          parameters: [optionalOf(MAP_KV), K],
          result: OPTIONAL_V,
          call: evaluatedByPlan,
        }),
      ],
    },
    {
      name: 'last',
      overloads: [
        overload({
          id: 'list_last',
          isMember: true,
          parameters: [LIST_V],
          result: OPTIONAL_V,
          call: (list) => atEnd(list, list.size - 1),
        }),
      ],
    },
    {
      name: 'first',
      overloads: [
        overload({
          id: 'list_first',
          isMember: true,
          parameters: [LIST_V],
          result: OPTIONAL_V,
          call: (list) => atEnd(list, 0),
        }),
      ],
    },
    {
      name: 'optional.unwrap',
      overloads: [
        overload({
          id: 'optional_unwrap',
          isMember: false,
          parameters: [listOf(OPTIONAL_V)],
          result: LIST_V,
          call: unwrap,
        }),
      ],
    },
    {
      name: 'unwrapOpt',
      overloads: [
        overload({
          id: 'optional_unwrapOpt',
          isMember: true,
          parameters: [listOf(OPTIONAL_V)],
          result: LIST_V,
          call: unwrap,
        }),
      ],
    },
  ],
};

function insertAll(map: CelMap, entries: CelMap): CelMap {
  const target = map instanceof EntryMap ? map : new EntryMap();
  for (const key of entries.keys()) target.insertInPlace(key, entries.get(key) ?? null);
  return target;
}

/** `all`, `exists`, `existsOne`, `transformList`, `transformMap` and `transformMapEntry` with two variables. */
export const TWO_VARIABLE_COMPREHENSIONS: Library = {
  name: 'two-variable-comprehensions',
  macros: TWO_VARIABLE_MACROS,
  functions: [
    {
      // Only macros can call it, with an accumulator that has no other references.
      name: 'cel.@mapInsert',
      overloads: [
        overload({
          id: '@mapInsert_map_key_value',
          isMember: false,
          parameters: [MAP_KV, K, V],
          result: MAP_KV,
          call: (map, key, value) => insertAll(map, new EntryMap([[key, value]])),
        }),
        overload({
          id: '@mapInsert_map_map',
          isMember: false,
          parameters: [MAP_KV, MAP_KV],
          result: MAP_KV,
          call: insertAll,
        }),
      ],
    },
  ],
};

/** `cel.bind`, which Kubernetes enables for device selectors only. */
export const BINDINGS_LIBRARY: Library = { name: 'bindings', macros: [BIND_MACRO] };
