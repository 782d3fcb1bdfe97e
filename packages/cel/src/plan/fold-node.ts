import { LIST_CREATE_BASE_COST } from '../checking/cost-estimate.ts';
import { Work } from '../steps/steps.ts';
import { EntryMap, GrowingList } from '../values/collections.ts';
import { runtimeType } from '../values/runtime-type.ts';
import { ArrayList, CelError, CelList, CelMap, type CelValue } from '../values/values.ts';
import { type Frame, guard, type Result } from './frame.ts';
import { ConstNode, type Evaluation, PlanNode, runNode } from './plan-node.ts';

/** The parts of a comprehension and the slots of its variables. */
export interface Fold {
  readonly range: PlanNode;
  readonly condition: PlanNode;
  readonly step: PlanNode;
  readonly result: PlanNode;
  readonly accuSlot: number;
  readonly slot1: number;
  readonly slot2: number | undefined;
  /** The number of nodes that an iteration evaluates. */
  readonly weight: number;
}

/** A comprehension. */
export class FoldNode extends PlanNode {
  readonly #fold: Fold;

  constructor(fold: Fold) {
    super(true);
    this.#fold = fold;
  }

  evaluate(frame: Frame): Result {
    const { range, condition, step, result, accuSlot, weight } = this.#fold;
    const cursor = this.#start(frame, range.evaluate(frame));
    if (cursor instanceof CelError) return cursor;
    while (cursor.advance(frame)) {
      if (condition.evaluate(frame) === false) break;
      frame.locals[accuSlot] = step.evaluate(frame);
      frame.checkSlice(weight);
    }
    return frozen(result.evaluate(frame));
  }

  override *run(frame: Frame): Evaluation {
    const { range, condition, step, result, accuSlot, weight } = this.#fold;
    const cursor = this.#start(frame, yield* runNode(range, frame));
    if (cursor instanceof CelError) return cursor;
    while (cursor.advance(frame)) {
      if ((yield* runNode(condition, frame)) === false) break;
      frame.locals[accuSlot] = yield* runNode(step, frame);
      if (frame.isSliceOver(weight)) yield undefined;
    }
    return frozen(yield* runNode(result, frame));
  }

  #start(frame: Frame, range: Result): Cursor | CelError {
    if (range instanceof CelError) return range;
    frame.locals[this.#fold.accuSlot] = undefined;
    if (range instanceof CelList) return new ListCursor(range, this.#fold);
    if (range instanceof CelMap) return new MapCursor(range, this.#fold);
    const type = goTypeName(range);
    return new CelError(
      this.#fold.slot2 === undefined
        ? `got '${type}', expected iterable type`
        : `unsupported comprehension range type: ${type}`,
    );
  }
}

/** The position of an iteration. */
interface Cursor {
  /**
   * Sets the iteration variables to the next entry. Returns false at the end. An entry that cannot be read is set to an
   * error.
   */
  advance(frame: Frame): boolean;
}

class ListCursor implements Cursor {
  readonly #list: CelList;
  readonly #fold: Fold;
  #index = 0;

  constructor(list: CelList, fold: Fold) {
    this.#list = list;
    this.#fold = fold;
  }

  advance(frame: Frame): boolean {
    const index = this.#index;
    const list = this.#list;
    if (index >= list.size) return false;
    this.#index++;
    const { slot1, slot2 } = this.#fold;
    const element = guard(() => list.at(index));
    if (slot2 !== undefined) frame.locals[slot1] = BigInt(index);
    frame.locals[slot2 ?? slot1] = element;
    return true;
  }
}

class MapCursor implements Cursor {
  readonly #map: CelMap;
  readonly #keys: Iterator<CelValue>;
  readonly #fold: Fold;

  constructor(map: CelMap, fold: Fold) {
    this.#map = map;
    this.#keys = map.keys()[Symbol.iterator]();
    this.#fold = fold;
  }

  advance(frame: Frame): boolean {
    const { done, value: key } = this.#keys.next();
    if (done) return false;
    const { slot1, slot2 } = this.#fold;
    frame.locals[slot1] = key;
    if (slot2 !== undefined) frame.locals[slot2] = guard(() => this.#map.get(key) ?? null);
    return true;
  }
}

/** Returns an immutable result. */
function frozen(result: Result): Result {
  return result instanceof GrowingList ? new ArrayList(result.items) : result;
}

/** Replaces an empty collection by a new one that the macro may modify in place. */
export function freshAccumulator(value: Result): Result {
  if (value instanceof ArrayList && value.size === 0) return new GrowingList();
  return value instanceof EntryMap && value.size === 0 ? new EntryMap() : value;
}

/** `@result + [element]`, which macros use to build lists. */
export class AppendNode extends PlanNode {
  readonly #accumulator: PlanNode;
  readonly #element: PlanNode;
  readonly #add: (a: CelValue, b: CelValue) => CelValue | Work<CelValue>;

  constructor(accumulator: PlanNode, element: PlanNode, add: (a: CelValue, b: CelValue) => CelValue | Work<CelValue>) {
    super(accumulator.resumable || element.resumable);
    this.#accumulator = accumulator;
    this.#element = element;
    this.#add = add;
  }

  evaluate(frame: Frame): Result {
    const list = this.#accumulator.evaluate(frame);
    return this.#append(frame, list, this.#element.evaluate(frame));
  }

  override *run(frame: Frame): Evaluation {
    const list = yield* runNode(this.#accumulator, frame);
    return this.#append(frame, list, yield* runNode(this.#element, frame));
  }

  #append(frame: Frame, list: Result, element: Result): Result {
    frame.charge(1 + (this.#element instanceof ConstNode ? 0 : LIST_CREATE_BASE_COST));
    if (list instanceof CelError) return list;
    if (element instanceof CelError) return element;
    if (!(list instanceof GrowingList)) {
      return guard(() => {
        const sum = this.#add(list, new ArrayList([element]));
        return sum instanceof Work ? frame.complete(sum) : sum;
      });
    }
    list.items.push(element);
    return list;
  }
}

const GO_TYPES: Readonly<Record<string, string>> = {
  bool: 'types.Bool',
  int: 'types.Int',
  uint: 'types.Uint',
  double: 'types.Double',
  string: 'types.String',
  bytes: 'types.Bytes',
  null: 'types.Null',
  timestamp: 'types.Timestamp',
  duration: 'types.Duration',
  type: '*types.Type',
};

/** Returns the Go type of a value, which cel-go's messages contain. */
function goTypeName(value: CelValue): string {
  const type = runtimeType(value);
  return GO_TYPES[type.kind] ?? (type.name === 'optional_type' ? '*types.Optional' : type.name);
}
