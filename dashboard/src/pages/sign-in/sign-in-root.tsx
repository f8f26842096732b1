import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createQueryClient } from '../../api/query-client.ts'
import { SignIn, type SignInProps } from './sign-in.tsx'

const queryClient = createQueryClient()

/** The page without a router. The build and the browser render this same tree, which hydration requires. */
export const SignInRoot = (props: SignInProps) => (
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <SignIn {...props} />
    </QueryClientProvider>
  </StrictMode>
)
