/** The compared operations of each side. A process runs one of them, once. */
export interface Side {
  /** Loads the parts of the library that the tasks need. */
  load(): Promise<void>;
  list(server: Connect): Promise<number>;
  /** Sends `count` gets, `inFlight` at a time. */
  gets(server: Connect, count: number, inFlight: number): Promise<void>;
  informer(server: Connect, onUpdate: () => void): Promise<RunningInformer>;
}

interface RunningInformer {
  /** The number of objects in its cache. */
  readonly size: number;
  stop(): Promise<void>;
}

export interface Connect {
  readonly url: string;
  readonly token: string;
}

export type Task = 'import' | 'list' | 'get' | 'sync' | 'events' | 'queue';

/** The measured cost of a task. Not every value is meaningful for every task. */
export interface Figures {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly operations: number;
  readonly rssMB: number;
  readonly heapBytes: number;
}
