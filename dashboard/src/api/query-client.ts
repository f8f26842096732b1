import { QueryClient } from '@tanstack/react-query'

/** The SDK retries requests that are safe to repeat, so the cache does not. */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 15_000, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
