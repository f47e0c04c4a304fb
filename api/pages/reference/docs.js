// Starts the viewer on the service's own document. Nothing is validated or
// fetched elsewhere, and no credential is kept beyond the page.
(function () {
  "use strict";
  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  function follow() {
    document.documentElement.classList.toggle("dark-mode", dark.matches);
  }
  follow();
  dark.addEventListener("change", follow);

  window.SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#docs",
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    persistAuthorization: false,
    queryConfigEnabled: false,
    showCommonExtensions: true,
    validatorUrl: null
  });
})();
