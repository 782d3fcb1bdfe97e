import { messageOf } from '@coxswain/apimachinery/errors';
import { RpcError } from '@coxswain/grpc';

/** Returns the message of an error. For errors of the runtime, it lacks the gRPC code that `messageOf` puts before the message. */
export const errorDetails = (error: unknown): string => (error instanceof RpcError ? error.details : messageOf(error));
