import type { Clock } from '@coxswain/apimachinery/clock';
import type { PodTarget } from './pod-target.ts';

/** Connections to ports of one pod. */
export interface PortForwardConnection {
  /** Connects to a port of the pod. Rejects with an ApiError or a TransportError when the pod cannot be reached. */
  open(port: number): Promise<ForwardedStream>;
  /** Resolves when the connection to the pod has ended. */
  readonly closed: Promise<void>;
  readonly isClosed: boolean;
  /** Closes all streams. */
  close(): void;
}

/** A connection to a port of a pod. */
export interface ForwardedStream {
  /**
   * Yields the bytes from the pod until it ends the connection. Throws a PortForwardError when the node could not
   * connect to the port or lost the connection, and a TransportError when the connection to the node breaks.
   */
  chunks(): AsyncIterable<Uint8Array>;
  /** Resolves when more can be written. */
  write(bytes: Uint8Array): Promise<void>;
  /** Signals the end of the data. The pod may still send. */
  end(): Promise<void>;
  /** Closes the connection in both directions. */
  close(): void;
}

/** The node's error for a port, with its message. */
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
   * - `spdy`: all connections over one WebSocket, with half-close. Needs API servers since v1.31, and is not available
   *   in browsers.
   * - `channels`: a WebSocket for each connection, without half-close. After `end`, the connection is closed after half
   *   a minute of silence.
   *
   * Default: `spdy`, with `channels` as the fallback.
   */
  readonly protocol?: 'spdy' | 'channels';
  readonly clock?: Clock;
}
