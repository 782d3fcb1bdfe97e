import { messageOf } from '@coxswain/apimachinery/errors';
import { RpcError } from '@coxswain/grpc';

/** Returns the runtime's own words for a failure, without the gRPC code that `messageOf` puts before them. */
export const errorDetails = (error: unknown): string => (error instanceof RpcError ? error.details : messageOf(error));
