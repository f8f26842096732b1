import { getRouteApi } from '@tanstack/react-router'
import { SignIn } from './sign-in.tsx'

const route = getRouteApi('/sign-in')

/** Sign-in for a person who has opened another page without a session. */
const SignInPage = () => <SignIn {...route.useSearch()} />

export default SignInPage
