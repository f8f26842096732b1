/** The address without a slash at its end; one that says more than where the service is, is refused. */
export const readBaseUrl = (given: string | URL): string => {
  const url = URL.canParse(String(given)) ? new URL(given) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new TypeError('baseUrl is the address of your Carabiner, such as https://connect.example.com.')
  return url.href.replace(/\/+$/, '')
}
