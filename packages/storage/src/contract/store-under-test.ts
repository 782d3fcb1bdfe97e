import type { Store } from '../store.ts';

/** A store that a test may do with as it likes. */
export interface StoreUnderTest {
  /** Without keys below `/contract/`; the suite touches no others. Its revision may be any. */
  readonly store: Store;
  /** Closes the store and opens it again over what it kept. Needed of durable drivers only. */
  reopen?(): Promise<StoreUnderTest>;
  /** Moves the clock of the store on. Where it cannot be moved, the suite waits for keys to expire. */
  passTime?(seconds: number): Promise<void>;
  /** Closes the store and removes what it kept. */
  dispose(): Promise<void>;
}

export interface DriverTraits {
  /** It lives in this process: watchers hear of a write before its promise resolves, and get the writer's note. */
  readonly inProcess: boolean;
  /** What it holds is there again after `reopen`. */
  readonly durable: boolean;
}

/** Tests by the sentence that they prove. */
export type ContractCases = Readonly<Record<string, (opened: StoreUnderTest) => Promise<void>>>;

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const text = (value: Uint8Array): string => new TextDecoder().decode(value);
