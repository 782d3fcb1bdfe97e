/** Returns `10.0.0.1:80`, or `[fd00::1]:80` for addresses of IPv6. */
export const hostPort = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;
