import java.lang.reflect.Field;

/**
 * Starts the JMeter 2.13 of Debian and Ubuntu with the arguments of jmeter. Their XStream (1.4.18 or later) creates only objects
 * of classes that its user has allowed, JMeter 2.13 does not know that, and so it refuses every test plan with
 * ForbiddenClassException. This allows the classes of JMeter, and nothing else.
 *
 * <pre>java -cp /usr/share/jmeter/bin/ApacheJMeter.jar load-tests/jmeter/DebianJMeter.java -n -t PLAN</pre>
 */
public class DebianJMeter {
  private static final String HOME = "/usr/share/jmeter";
  private static final String[] ALLOWED = {"org.apache.jmeter.**", "org.apache.jorphan.**"};

  public static void main(String[] arguments) throws Exception {
    System.setProperty("jmeter.home", HOME);
    Class<?> driver = Class.forName("org.apache.jmeter.NewDriver"); // finds the jars of JMeter
    Field jars = driver.getDeclaredField("loader");
    jars.setAccessible(true);
    ClassLoader loader = (ClassLoader) jars.get(null);
    Thread.currentThread().setContextClassLoader(loader);

    Class<?> utils = loader.loadClass("org.apache.jmeter.util.JMeterUtils");
    utils.getMethod("loadJMeterProperties", String.class).invoke(null, HOME + "/bin/jmeter.properties");
    utils.getMethod("setJMeterHome", String.class).invoke(null, HOME);
    Class<?> saveService = Class.forName("org.apache.jmeter.save.SaveService", true, loader);
    for (String name : new String[] {"JMXSAVER", "JTLSAVER"}) {
      Field field = saveService.getDeclaredField(name);
      field.setAccessible(true);
      Object xstream = field.get(null);
      xstream.getClass().getMethod("allowTypesByWildcard", String[].class).invoke(xstream, (Object) ALLOWED);
    }
    driver.getMethod("main", String[].class).invoke(null, (Object) arguments);
  }
}
