import type { Store } from '../store.ts';

/** A store for one test, which may close or damage it. */
export interface StoreUnderTest {
  /** Must have no keys below `/contract/`; the suite uses no others. Its revision may be any. */
  readonly store: Store;
  /** Closes the store and opens it again with its persisted data. Required for durable drivers only. */
  reopen?(): Promise<StoreUnderTest>;
  /** Advances the store's clock. When absent, the suite waits in real time for keys to expire. */
  passTime?(seconds: number): Promise<void>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

export interface DriverTraits {
  /** The store is in this process: watchers receive a write before its promise resolves, with the writer's note. */
  readonly inProcess: boolean;
  /** The data is still there after `reopen`. */
  readonly durable: boolean;
}

/** Tests by their titles. */
export type ContractCases = Readonly<Record<string, (opened: StoreUnderTest) => Promise<void>>>;

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const text = (value: Uint8Array): string => new TextDecoder().decode(value);
