/** What each side can do, as far as it is compared: one process does one of these, once. */
export interface Side {
  /** Loads the library, as far as the tasks need it. */
  load(): Promise<void>;
  list(server: Connect): Promise<number>;
  /** 10,000 gets and more, so many at a time. */
  gets(server: Connect, count: number, inFlight: number): Promise<void>;
  informer(server: Connect, onUpdate: () => void): Promise<RunningInformer>;
}

interface RunningInformer {
  /** Objects in its cache. */
  readonly size: number;
  stop(): Promise<void>;
}

export interface Connect {
  readonly url: string;
  readonly token: string;
}

export type Task = 'import' | 'list' | 'get' | 'sync' | 'events' | 'queue';

/** What a task took; only what makes sense for it. */
export interface Figures {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly operations: number;
  readonly rssMB: number;
  readonly heapBytes: number;
}
