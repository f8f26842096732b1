/** Removes trailing slashes. Rejects URLs with credentials, query or fragment. */
export const readBaseUrl = (given: string | URL): string => {
  const url = URL.canParse(String(given)) ? new URL(given) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new TypeError(
      'baseUrl must be the URL of your Carabiner service, such as https://connect.example.com.',
    )
  return url.href.replace(/\/+$/, '')
}
