import type { Clock } from '@coxswain/apimachinery/clock';
import type { PodTarget } from './pod-target.ts';

/** Connections to ports of one pod. */
export interface PortForwardConnection {
  /** Connects to a port of the pod. Rejects with an ApiError or a TransportError when there is no way to the pod. */
  open(port: number): Promise<ForwardedStream>;
  /** Resolves when the way to the pod is gone. */
  readonly closed: Promise<void>;
  readonly isClosed: boolean;
  /** Ends all that was opened. */
  close(): void;
}

/** A connection to a port of a pod. */
export interface ForwardedStream {
  /**
   * What the pod sends until it ends the connection. Throws a PortForwardError when the node could not connect to the
   * port or lost the connection, and a TransportError when the way to the node breaks.
   */
  chunks(): AsyncIterable<Uint8Array>;
  /** Resolves when more may be written. */
  write(bytes: Uint8Array): Promise<void>;
  /** Says that no more will come. The pod may still send. */
  end(): Promise<void>;
  /** Gives the connection up. */
  close(): void;
}

/** A node's complaint about a port, in its words. */
export class PortForwardError extends Error {
  override readonly name = 'PortForwardError';
  readonly port: number;

  constructor(port: number, message: string) {
    super(`forwarding port ${port}: ${message}`);
    this.port = port;
  }
}

export interface PortForwardTarget extends Omit<PodTarget, 'container'> {
  /**
   * `spdy`: all connections over one WebSocket, each direction of which ends by itself; API servers since v1.31, and not
   * from browsers. `channels`: a WebSocket for each connection, and the pod is not told that no more will come; the
   * connection is given up after half a minute of silence then.
   * Default: the first, else the other.
   */
  readonly protocol?: 'spdy' | 'channels';
  readonly clock?: Clock;
}
