const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Whether a host, written as in `URL.hostname`, is always this machine. Other names and addresses of the loopback network are not: a name
 * such as `app.localhost` is resolved by a name server on some systems.
 */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK_HOSTS.has(hostname)
