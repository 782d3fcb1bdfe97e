import { STATUS_CODES } from 'node:http';
import type { Logger, Transport } from '@coxswain/client';

/** Logs each request with its response status, as kubectl does from verbosity 6 on. */
export const withRequestLog = (transport: Transport, server: string, logger: Logger): Transport => ({
  async send(request) {
    const start = performance.now();
    const { method, url } = request;
    const log = (status: string): void => {
      const milliseconds = Math.round(performance.now() - start);
      logger.info('Response', { verb: method, url: `${server}${url}`, status, milliseconds });
    };
    try {
      const response = await transport.send(request);
      log(`${response.status} ${STATUS_CODES[response.status] ?? ''}`.trimEnd());
      return response;
    } catch (error) {
      log('');
      throw error;
    }
  },
  openWebSocket: (request) => transport.openWebSocket(request),
  close: () => transport.close(),
});
